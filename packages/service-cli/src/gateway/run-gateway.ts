import { createRequire } from "node:module"
import { resolve } from "node:path"
import type { Authenticate } from "@x/mcp-adapter/http"
import { UpstreamError, type UpstreamEvent, type UpstreamStatus } from "@x/mcp-upstream"
import {
  checkGateway,
  createGateway,
  createHealthListener,
  createSecretsFile,
  createSeenFile,
  createSignIns,
  followGatewayFile,
  type Gateway,
  type GatewayConfig,
  type HeldTool,
  type ReadOptions,
  type RefusedServer,
  readGatewayConfig,
  type SecretsFile,
  type SeenFile,
  type SignIns,
  signCallers,
  signInFully,
} from "@x/mcp-upstream/node"
import { take } from "rxjs"
import { columnsOf } from "../columns.js"
import { print, printMessage, toJsonText, toLine } from "../display.js"
import { exitWith } from "../process-life.js"
import type { RunOptions } from "../run-options.js"
import { runService } from "../run-service.js"
import { askInput } from "./ask-input.js"
import { gatewayHelp } from "./gateway-help.js"
import { isOfCaller, printProfile, printReport, toRefusals } from "./print-check.js"

/** Gateway options beyond those in its file. */
export type RunGatewayOptions = Pick<RunOptions, "version" | "adapter" | "stdio" | "http" | "exit">

/**
 * Runs the command `mcp-gateway`. It serves the servers of a file as one, over standard input and output or HTTP, and applies
 * changes of the file. It also checks the file, or does anything else that {@link runService} does.
 *
 * @param argv - The command line, as in `process.argv`.
 * @returns The exit code if `exit` is `false`: 0, 1 if a server does not answer, or 2 if the file cannot be used.
 * @example
 * ```ts
 * import { runGateway } from "@x/service-cli/gateway"
 *
 * const code = await runGateway(["node", "mcp-gateway", "no-such-file.json", "--mcp"], { exit: false })
 * console.log(code) // 2
 * ```
 */
export async function runGateway(argv: readonly string[], options: RunGatewayOptions = {}): Promise<number> {
  const { exit = true } = options
  const [file, ...words] = argv.slice(2)
  const end = (code: number): number | Promise<never> => (exit ? exitWith(code) : code)
  if (file === undefined || file.startsWith("-")) {
    await print(`${gatewayHelp(columnsOf(process.stdout))}\n`)
    return end(file === "--help" || file === "-h" ? 0 : 2)
  }
  const rest = words.filter((word) => !word.startsWith(WORKSPACE))
  const read = toReadOptions(file, words)
  if (rest.includes("--check") && rest.some(isOfCaller))
    return end(await readGatewayConfig(file, read).then((config) => printProfile(config, rest), tellFailure))
  if (rest.includes("--check"))
    return end(printReport(await checkGateway(file, { ...read, signIns: signInsOf(file, secretsBeside(file)) })))
  if (rest[0] === "--sign-in") return end(await signIn(file, rest.slice(1), read).catch(tellFailure))
  if (rest[0] === "--accept") return end(await accept(file, rest.slice(1)).catch(tellFailure))
  return serve({ file, args: rest, read }, options).catch((error: unknown) => end(tellFailure(error)))
}

const WORKSPACE = "--workspace="

/** Asks for the file's inputs once, and stores them beside it. */
function toReadOptions(file: string, words: readonly string[]): ReadOptions {
  const workspace = words.find((word) => word.startsWith(WORKSPACE))?.slice(WORKSPACE.length)
  const ask = secretsBeside(file).answer(askInput)
  return { ask, ...(workspace !== undefined && { workspace: resolve(workspace) }) }
}

function tellFailure(error: unknown): number {
  printMessage("mcp-gateway", UpstreamError.from(error).message)
  return 2
}

function secretsBeside(file: string): SecretsFile {
  return createSecretsFile(`${file}.secrets`)
}

function signInsOf(file: string, secrets: SecretsFile): SignIns {
  return createSignIns(secrets, (server) => `sign in with: mcp-gateway ${file} --sign-in ${server}`)
}

/** How long a person may take to sign in, in milliseconds. */
const SIGN_IN_MS = 600_000

async function signIn(file: string, [name = ""]: readonly string[], read: ReadOptions): Promise<number> {
  const { mcpServers } = await readGatewayConfig(file, read)
  const server = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined
  if (server?.url === undefined) {
    const known = Object.entries(mcpServers).filter(([, { url }]) => url !== undefined)
    const names = known.map(([each]) => each).join(", ") || "none"
    printMessage("mcp-gateway", toLine(`--sign-in: "${name}" is not a server with a URL; expected one of: ${names}`))
    return 2
  }
  const open = (page: URL): void => printMessage("mcp-gateway", `open this page to sign in to "${name}":\n${page.href}`)
  const signIns = signInsOf(file, secretsBeside(file))
  const page = { open, signal: AbortSignal.timeout(SIGN_IN_MS) }
  const { missing, report } = await signInFully(signIns, { name, server }, page)
  const without = missing.length === 0 ? "" : `, without these scopes, which were not granted: ${missing.join(" ")}`
  const state = report.ok ? report.message : `but it cannot be used: ${report.message}`
  await print(`${toLine(`signed in to ${name}${without}; ${state}`)}\n`)
  return report.ok ? 0 : 1
}

/** Returns the path of the file that stores known tool definitions. */
function seenBeside(file: string): string {
  return `${file}.seen`
}

async function accept(file: string, wanted: readonly string[]): Promise<number> {
  const seen = createSeenFile(seenBeside(file))
  if (wanted.length === 0) {
    const held = seen.held()
    await print(held.length === 0 ? "no tool is held back\n" : held.map(showHeld).join(""))
    return 0
  }
  const answers = wanted.map((what) => acceptOne(seen, what))
  await print(answers.map(({ line }) => `${toLine(line)}\n`).join(""))
  return answers.every(({ accepted }) => accepted) ? 0 : 1
}

/** Formats the changes of a tool, with the word that accepts this definition. A later definition has another digest. */
function showHeld({ name, digest, diff }: HeldTool): string {
  const members = Object.entries(diff).flatMap(([member, { before, after }]) => [
    ...(before === undefined ? [] : [`  - ${toLine(`${member}: ${toJsonText(before)}`)}`]),
    ...(after === undefined ? [] : [`  + ${toLine(`${member}: ${toJsonText(after)}`)}`]),
  ])
  return [toLine(`${name}@${digest}`), ...members].map((line) => `${line}\n`).join("")
}

function acceptOne(seen: SeenFile, what: string): { readonly accepted: boolean; readonly line: string } {
  const at = what.lastIndexOf("@")
  const [name, digest] = at < 0 ? [what, ""] : [what.slice(0, at), what.slice(at + 1)]
  if (seen.accept(name, digest)) return { accepted: true, line: `accepted ${name}` }
  const isMeant = (held: HeldTool): boolean =>
    held.name === what || held.name === name || held.name.startsWith(`${what}/`)
  const held = seen.held().filter(isMeant)
  const names = held.map((tool) => `${tool.name}@${tool.digest}`).join(", ")
  if (held.length === 0) return { accepted: false, line: `${what}: no tool of that name is held back` }
  const found =
    digest === "" ? "the digest of the definition is missing" : "its definition has changed since that digest"
  return { accepted: false, line: `${what}: ${found}; read it with --accept, then run --accept ${names}` }
}

/** The served file and its options. */
interface Served {
  readonly file: string
  readonly args: readonly string[]
  readonly read: ReadOptions
}

async function serve({ file, args, read }: Served, options: RunGatewayOptions): Promise<number> {
  const { exposure, states, listWaitMs, ...config } = await readGatewayConfig(file, read)
  const { name = "gateway" } = config
  const seen = createSeenFile(seenBeside(file), ({ message }) => printMessage(name, toLine(message)))
  const secrets = secretsBeside(file)
  const signIns = signInsOf(file, secrets)
  const gateway = createGateway(config, { seen, signIns })
  const serves = args.some((word) => word === "--mcp" || word === "--http" || word.startsWith("--http="))
  tellEvents(gateway)
  const unfollow = [seen.follow(gateway), secrets.follow(() => reconnectDown(gateway))]
  const stop = followGatewayFile(gateway, file, {
    applied: (servers) => printMessage(name, `"${file}" has changed: ${servers.join(", ")}`),
    warned: (warnings) => {
      for (const warning of warnings) printMessage(name, toLine(`warning: ${warning}`))
    },
    refused: (servers) => tellRefused(name, servers),
    read,
    failed: ({ message }) => printMessage(name, toLine(message)),
  })
  const endpoint = { extension: gateway.extension, ...(exposure && { exposure }), ...(states && { states }) }
  const { limits, ...adapter } = options.adapter ?? {}
  const authenticate = await signCallers(gateway)
  if (!mayKnowCallers(args, options, authenticate)) tellUnknownCallers(name, config)
  return runService(gateway.source(), ["", "", ...args], {
    version: VERSION,
    ...options,
    name,
    description: config.description ?? "",
    adapter: {
      ...gateway.adapterOptions,
      ...adapter,
      limits: { readyWaitMs: serves ? (listWaitMs ?? PATIENCE_MS.serving) : PATIENCE_MS.asking, ...limits },
    },
    stdio: { ...endpoint, ...options.stdio },
    http: {
      ...endpoint,
      ...(authenticate && { authenticate }),
      ...options.http,
      ...(options.http?.probes !== false && { otherwise: createHealthListener(gateway, options.http?.otherwise) }),
    },
    async onExit() {
      stop()
      for (const end of unfollow) end()
      await gateway.close()
    },
  })
}

/** Whether callers are signed in, so that servers with `perCaller` can be reached. */
function mayKnowCallers(args: readonly string[], { http }: RunGatewayOptions, own: Authenticate | undefined): boolean {
  return !args.includes("--mcp") && (own ?? http?.authenticate) !== undefined
}

function tellUnknownCallers(name: string, { mcpServers }: Pick<GatewayConfig, "mcpServers">): void {
  for (const [server, { perCaller }] of Object.entries(mcpServers))
    if (perCaller !== undefined)
      printMessage(
        name,
        toLine(`server "${server}" is served to no one: it needs signed-in callers, but this gateway has no sign-in`),
      )
}

const { version: VERSION }: { readonly version: string } = createRequire(import.meta.url)("../../package.json")

/** Connects again, since somebody may have signed in. */
function reconnectDown(gateway: Gateway): void {
  for (const upstream of gateway.servers().values())
    upstream.status.pipe(take(1)).subscribe(({ state }) => {
      if (state === "down") upstream.reconnect()
    })
}

function tellRefused(name: string, servers: readonly RefusedServer[]): void {
  for (const line of toRefusals(servers)) printMessage(name, toLine(line))
}

/**
 * How long the first list waits for starting servers, in milliseconds. A one-time command waits for all. A server announces
 * later ones, but many hosts keep the first list they get.
 */
const PATIENCE_MS = { serving: 5_000, asking: 30_000 }

/** Writes an operator's messages to standard error, one line each. */
function tellEvents({ events }: Gateway): void {
  events.subscribe(({ server, event }) => {
    const line = toWords(event)
    if (line !== undefined) printMessage(server, toLine(line))
  })
}

function toWords(event: UpstreamEvent): string | undefined {
  switch (event.type) {
    case "stderr":
      return event.line
    case "diagnostic":
      return `${event.message} (${event.code})`
    case "definition_changed":
      return `tool "${event.tool}" has a changed ${Object.keys(event.diff).join(", ")}${event.held ? ": it is held back until --accept" : ""}`
    case "status":
      return toStanding(event.status)
    case "log":
      return undefined
  }
}

function toStanding(status: UpstreamStatus): string | undefined {
  if (status.state === "waiting") return `not connected: ${status.reason}`
  return status.state === "down" ? `down: ${status.reason}; ${status.remedy}` : undefined
}
