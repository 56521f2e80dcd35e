import { createRequire } from "node:module"
import { resolve } from "node:path"
import { UpstreamError, type UpstreamEvent, type UpstreamStatus } from "@x/mcp-upstream"
import {
  checkGateway,
  createGateway,
  createSecretsFile,
  createSeenFile,
  createSignIns,
  followGatewayFile,
  type Gateway,
  type GatewayReport,
  type HeldTool,
  type ReadOptions,
  type RefusedServer,
  readGatewayConfig,
  type SecretsFile,
  type SeenFile,
  type SignIns,
} from "@x/mcp-upstream/node"
import { take } from "rxjs"
import { print, tell, toJsonText, toLine } from "../display.js"
import { exitWith } from "../process-life.js"
import type { RunOptions } from "../run-options.js"
import { runService } from "../run-service.js"
import { askInput } from "./ask-input.js"

/** How a gateway is run; what its file does not say. */
export type RunGatewayOptions = Pick<RunOptions, "version" | "adapter" | "stdio" | "http" | "exit">

const USAGE = `Serves the MCP servers of a file as one.

Usage: mcp-gateway <file> --mcp | --http [address] | --check | --describe | <tool> [fields]

  <file>       the file in which a host has its servers: Claude, Cursor, VS Code, Codex, Gemini CLI, Copilot, Windsurf, Zed,
               opencode, Goose; or one of its own with "mcpServers". It is followed while it is served
  --workspace  the folder that \${workspaceFolder} stands for, as --workspace=FOLDER
  --check      says what is wrong with the file and each server, and exits
  --sign-in    opens the page on which you sign in to a server, as --sign-in NAME, and keeps its tokens
  --accept     shows which tools are held back because they changed, and how; with server/tool@digest, accepts what was shown
  --help       after a file: says what else can be done with its servers`

/**
 * Runs the command `mcp-gateway`: serves the servers of a file as one, over standard input and output or HTTP, and follows the
 * file; or says what is wrong with it, or does anything else that {@link runService} does.
 *
 * @param argv - The command line as `process.argv` has it.
 * @returns The exit code, where `exit` is `false`: 0, 1 where a server does not answer, or 2 where the file cannot be used.
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
    await print(`${USAGE}\n`)
    return end(file === "--help" || file === "-h" ? 0 : 2)
  }
  const rest = words.filter((word) => !word.startsWith(WORKSPACE))
  const read = toReadOptions(file, words)
  if (rest.includes("--check"))
    return end(report(await checkGateway(file, { ...read, signIns: signInsOf(file, secretsBeside(file)) })))
  if (rest[0] === "--sign-in") return end(await signIn(file, rest.slice(1), read).catch(tellFailure))
  if (rest[0] === "--accept") return end(await accept(file, rest.slice(1)).catch(tellFailure))
  return serve({ file, args: rest, read }, options).catch((error: unknown) => end(tellFailure(error)))
}

const WORKSPACE = "--workspace="

/** Inputs of the file are asked for once, and kept beside it. */
function toReadOptions(file: string, words: readonly string[]): ReadOptions {
  const workspace = words.find((word) => word.startsWith(WORKSPACE))?.slice(WORKSPACE.length)
  const ask = secretsBeside(file).answer(askInput)
  return { ask, ...(workspace !== undefined && { workspace: resolve(workspace) }) }
}

function tellFailure(error: unknown): number {
  tell("mcp-gateway", UpstreamError.from(error).message)
  return 2
}

function secretsBeside(file: string): SecretsFile {
  return createSecretsFile(`${file}.secrets`)
}

function signInsOf(file: string, secrets: SecretsFile): SignIns {
  return createSignIns(secrets, (server) => `sign in with: mcp-gateway ${file} --sign-in ${server}`)
}

/** How long a person has for a sign-in, in milliseconds. */
const SIGN_IN_MS = 600_000

async function signIn(file: string, [name = ""]: readonly string[], read: ReadOptions): Promise<number> {
  const { mcpServers } = await readGatewayConfig(file, read)
  const server = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined
  if (server?.url === undefined) {
    const known = Object.entries(mcpServers).filter(([, { url }]) => url !== undefined)
    const names = known.map(([each]) => each).join(", ") || "none"
    tell("mcp-gateway", toLine(`--sign-in: "${name}" is no server with a URL; those are: ${names}`))
    return 2
  }
  const open = (page: URL): void => tell("mcp-gateway", `open this page to sign in to "${name}":\n${page.href}`)
  await signInsOf(file, secretsBeside(file)).signIn(name, server, { open, signal: AbortSignal.timeout(SIGN_IN_MS) })
  await print(`signed in to ${toLine(name)}\n`)
  return 0
}

/** Where it is kept what the tools of a file's servers were. */
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

/** How a tool differs, and what accepts it as it is now: a definition that comes later is another. */
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
  if (held.length === 0) return { accepted: false, line: `${what}: nothing is held back by that name` }
  const found = digest === "" ? "no digest says which definition you read" : "its definition is not the one you read"
  return { accepted: false, line: `${what}: ${found}; read it with --accept, then name ${names}` }
}

/** What is served, and what with. */
interface Served {
  readonly file: string
  readonly args: readonly string[]
  readonly read: ReadOptions
}

async function serve({ file, args, read }: Served, options: RunGatewayOptions): Promise<number> {
  const { name = "gateway", description, exposure, states, listWaitMs, ...config } = await readGatewayConfig(file, read)
  const seen = createSeenFile(seenBeside(file), ({ message }) => tell(name, toLine(message)))
  const secrets = secretsBeside(file)
  const signIns = signInsOf(file, secrets)
  const gateway = createGateway(
    { ...config, name, ...(description !== undefined && { description }) },
    { seen, signIns },
  )
  const serves = args.some((word) => word === "--mcp" || word === "--http" || word.startsWith("--http="))
  tellEvents(gateway)
  const unfollow = [seen.follow(gateway), secrets.follow(() => reconnectDown(gateway))]
  const stop = followGatewayFile(gateway, file, {
    applied: (servers) => tell(name, `"${file}" has changed: ${servers.join(", ")}`),
    warned: (warnings) => {
      for (const warning of warnings) tell(name, toLine(`warning: ${warning}`))
    },
    refused: (servers) => tellRefused(name, servers),
    read,
    failed: ({ message }) => tell(name, toLine(message)),
  })
  const endpoint = { extension: gateway.extension, ...(exposure && { exposure }), ...(states && { states }) }
  const { limits, ...adapter } = options.adapter ?? {}
  return runService(gateway.service, ["", "", ...args], {
    version: VERSION,
    ...options,
    name,
    adapter: {
      ...adapter,
      limits: { readyWaitMs: serves ? (listWaitMs ?? PATIENCE_MS.serving) : PATIENCE_MS.asking, ...limits },
    },
    stdio: { ...endpoint, ...options.stdio },
    http: { ...endpoint, ...options.http },
    async onExit() {
      stop()
      for (const end of unfollow) end()
      await gateway.close()
    },
  })
}

const { version: VERSION }: { readonly version: string } = createRequire(import.meta.url)("../../package.json")

/** Somebody may have signed in. */
function reconnectDown(gateway: Gateway): void {
  for (const upstream of gateway.servers().values())
    upstream.status.pipe(take(1)).subscribe(({ state }) => {
      if (state === "down") upstream.reconnect()
    })
}

function tellRefused(name: string, servers: readonly RefusedServer[]): void {
  for (const line of toRefusals(servers)) tell(name, toLine(line))
}

function toRefusals(servers: readonly RefusedServer[]): readonly string[] {
  return servers.flatMap(({ name, reasons }) => reasons.map((reason) => `server "${name}" is refused: ${reason}`))
}

/**
 * How long the first list waits for servers that are still starting, in milliseconds. Who asks once waits for every one; who
 * serves tells of those that come later, but many hosts keep the list that they saw first.
 */
const PATIENCE_MS = { serving: 5_000, asking: 30_000 }

/** What an operator has to know goes to standard error, one line each. */
function tellEvents({ events }: Gateway): void {
  events.subscribe(({ server, event }) => {
    const line = toWords(event)
    if (line !== undefined) tell(server, toLine(line))
  })
}

function toWords(event: UpstreamEvent): string | undefined {
  switch (event.type) {
    case "stderr":
      return event.line
    case "diagnostic":
      return `${event.message} (${event.code})`
    case "definition_changed":
      return `tool "${event.tool}" has another ${Object.keys(event.diff).join(", ")}${event.held ? ": it is held back until --accept" : ""}`
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

function report({ ok, refused, errors, warnings, servers }: GatewayReport): number {
  const lines = [
    ...errors.map((error) => `error: ${error}`),
    ...toRefusals(refused),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...servers.flatMap(({ name, ok: there, message, notes }) => [
      `${there ? "ok    " : "failed"} ${name}: ${message}`,
      ...notes.map((note) => `       ${note}`),
    ]),
  ]
  void print(lines.map((line) => `${toLine(line)}\n`).join(""))
  if (errors.length > 0) return 2
  return ok ? 0 : 1
}
