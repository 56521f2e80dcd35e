import { readFile, stat } from "node:fs/promises"
import { formatPointer } from "@x/tool-schemas/json"
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser"
import { filter, firstValueFrom } from "rxjs"
import type { Upstream } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import { createGateway, type Gateway } from "./create-gateway.js"
import { type GatewayConfig, parseGatewayConfig, type ReadConfig } from "./gateway-config.js"

/**
 * Reads a configuration from a file: JSON, and with it the comments and last commas that hosts allow. Never rejects for what it
 * finds.
 */
export async function readGatewayFile(file: string): Promise<ReadConfig> {
  const text = await readFile(file).then(decode, (cause: unknown) => UpstreamError.from(cause))
  if (text instanceof UpstreamError) return { errors: [`"${file}" cannot be read: ${text.message}`], warnings: [] }
  const faults: ParseError[] = []
  const tree = parseTree(text, faults, { allowTrailingComma: true })
  const first = faults[0]
  if (tree === undefined || first !== undefined)
    return { errors: [`"${file}" is no JSON${placeIn(text, first?.offset ?? text.length)}`], warnings: [] }
  const read = await parseGatewayConfig(getNodeValue(tree))
  const twice = writtenTwice(tree, []).map((path) => `${formatPointer(path)}: is written twice, and the last counts`)
  return { ...read, warnings: [...twice, ...read.warnings] }
}

/**
 * Reads a configuration from a file.
 *
 * @throws UpstreamError `invalid_config` where there is none that can be used, with all that is wrong.
 */
export async function readGatewayConfig(file: string): Promise<GatewayConfig> {
  return usableOf(file, await readGatewayFile(file))
}

function usableOf(file: string, { config, errors }: ReadConfig): GatewayConfig {
  if (config !== undefined) return config
  throw new UpstreamError(
    "invalid_config",
    [`"${file}" cannot be used:`, ...errors.map((each) => `- ${each}`)].join("\n"),
  )
}

/** As the mark at its beginning says; a shell of Windows writes UTF-16. */
function decode(bytes: Uint8Array): string {
  const [one, two] = bytes
  const encoding = one === 0xff && two === 0xfe ? "utf-16le" : one === 0xfe && two === 0xff ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

/** The place alone: there are secrets in such files. */
function placeIn(text: string, offset: number): string {
  if (text.slice(offset).trim() === "") return ": it ends too early"
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/)
  return `: look at line ${lines.length}, character ${(lines.at(-1)?.length ?? 0) + 1}`
}

function writtenTwice({ type, children = [] }: Node, path: readonly string[]): readonly (readonly string[])[] {
  if (type === "array") return children.flatMap((child, index) => writtenTwice(child, [...path, String(index)]))
  const seen = new Set<string>()
  return children.flatMap(({ children: [key, value] = [] }) => {
    const name = String(key?.value)
    const at = [...path, name]
    const twice = seen.has(name) ? [at] : []
    seen.add(name)
    return value === undefined ? twice : [...twice, ...writtenTwice(value, at)]
  })
}

/** What is wrong with a configuration and each of its servers. */
export interface GatewayReport {
  /** Whether everything can be served. */
  readonly ok: boolean
  /** What is wrong with the configuration so that nothing can be served. */
  readonly errors: readonly string[]
  /** What will not do what its writer may think. */
  readonly warnings: readonly string[]
  /** Each server, as it answered. */
  readonly servers: readonly ServerReport[]
}

/** How a server answered. */
export interface ServerReport {
  /** Its name. */
  readonly name: string
  /** Whether it is there. */
  readonly ok: boolean
  /** What it said, or why it did not. */
  readonly message: string
  /** What an operator should know of it. */
  readonly notes: readonly string[]
}

/** Looks at a configuration file, and connects to each of its servers once. Never rejects for what it finds. */
export async function checkGateway(file: string): Promise<GatewayReport> {
  const { config, errors, warnings } = await readGatewayFile(file)
  if (config === undefined) return { ok: false, errors, warnings, servers: [] }
  const gateway = createGateway(config)
  const notes = new Map<string, string[]>()
  gateway.events.subscribe(({ server, event }) => {
    if (event.type === "diagnostic") notes.set(server, [...(notes.get(server) ?? []), event.message])
  })
  const asked = [...gateway.servers()].map(([name, upstream]) => checkServer(name, upstream))
  const found = await Promise.all(asked)
  await gateway.close()
  const servers = found.map((each) => ({ ...each, notes: notes.get(each.name) ?? [] }))
  return { ok: servers.every(({ ok }) => ok), errors, warnings, servers }
}

async function checkServer(name: string, upstream: Upstream): Promise<ServerReport> {
  const tools = firstValueFrom(upstream.actions)
  const status = await firstValueFrom(
    upstream.status.pipe(filter(({ state }) => !["idle", "connecting"].includes(state))),
  )
  const rest = { name, notes: [] }
  if (status.state !== "connected")
    return { ...rest, ok: false, message: "reason" in status ? status.reason : "it was closed" }
  const [actions, states] = [await tools, await firstValueFrom(upstream.states)]
  const who = status.server === undefined ? "" : `${status.server.name} ${status.server.version}, `
  const counts = `${Object.keys(actions).length} tools, ${Object.keys(states).length} resources`
  return { ...rest, ok: true, message: `${who}${counts}, ${status.era} era` }
}

/** What watching a file tells. */
export interface WatchEars {
  /** The gateway goes on with what the file says now: which servers came, went, or were started anew. */
  applied(servers: readonly string[]): void
  /** The file says what will not do what its writer may think. Default: nobody is told. */
  warned?(warnings: readonly string[]): void
  /** The file cannot be used as it is: the gateway goes on with what it had. */
  failed(error: UpstreamError): void
}

/** How often it is looked at whether the file is another, in milliseconds. */
const LOOK_MS = 250

/**
 * Lets a gateway follow its file, however another comes into its place: written, renamed, or behind a link that now leads
 * elsewhere, as mounted configurations are. What the system tells of a folder knows of the first two alone.
 *
 * @returns Ends it.
 */
export function followGatewayFile(gateway: Pick<Gateway, "apply">, file: string, ears: WatchEars): () => void {
  let over = false
  let timer: NodeJS.Timeout | undefined
  let read: string | undefined
  let before: string | undefined
  let warned = ""
  const take = async (): Promise<void> => {
    const found = await readGatewayFile(file)
    if (over) return
    const changed = gateway.apply(usableOf(file, found))
    const warnings = found.warnings.join("\n")
    if (warnings !== warned && warnings !== "") ears.warned?.(found.warnings)
    warned = warnings
    if (changed.length > 0) ears.applied(changed)
  }
  const look = async (): Promise<void> => {
    const now = await stateOf(file)
    // Editors write in steps: it is read once it is at rest.
    if (now === before && now !== read) {
      read = now
      await take().catch((cause: unknown) => ears.failed(UpstreamError.from(cause)))
    }
    before = now
    if (!over) timer = setTimeout(look, LOOK_MS).unref()
  }
  void look()
  return () => {
    over = true
    clearTimeout(timer)
  }
}

/** What is another once the file is. */
function stateOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
    () => "gone",
  )
}
