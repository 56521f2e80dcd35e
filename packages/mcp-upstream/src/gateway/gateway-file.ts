import { readFile, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { basename, dirname, resolve } from "node:path"
import process from "node:process"
import { filter, firstValueFrom } from "rxjs"
import type { Upstream, UpstreamStatus } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import { parseConfigText } from "./config-text.js"
import { createGateway, type Gateway, type GatewayOptions } from "./create-gateway.js"
import type { GatewayConfig } from "./gateway-config.js"
import { parseGatewayConfig, type ReadConfig, type ReadOptions, type RefusedServer } from "./read-config.js"

/**
 * Reads a configuration from a file of any host: JSON with the comments and last commas that hosts allow, TOML (`.toml`) or YAML
 * (`.yaml`, `.yml`). Never rejects for what it finds.
 *
 * @param options - Default for `workspace`: the folder above a host's own one, such as `.vscode`; else where this process runs.
 */
export async function readGatewayFile(file: string, options: ReadOptions = {}): Promise<ReadConfig> {
  const text = await readFile(file).then(decode, (cause: unknown) => UpstreamError.from(cause))
  if (text instanceof UpstreamError) return unreadable(`"${file}" cannot be read: ${text.message}`)
  const parsed = parseConfigText(text, file)
  if ("fault" in parsed) return unreadable(`"${file}" ${parsed.fault}`)
  const read = await parseGatewayConfig(parsed.value, { workspace: workspaceOf(file), ...options })
  return { ...read, warnings: [...parsed.warnings, ...read.warnings] }
}

function unreadable(error: string): ReadConfig {
  return { refused: [], errors: [error], warnings: [] }
}

/** Folders in which hosts keep the files of a project, and files that hosts keep beside it. */
const HOST_FOLDER = /^\.(vscode|cursor|gemini|codex|zed|claude|windsurf|roo|kiro|amazonq|github|opencode|devcontainer)$/
const PROJECT_FILE = /^(\.mcp\.json|opencode\.jsonc?|.*\.code-workspace)$/

function workspaceOf(file: string): string {
  const folder = dirname(resolve(file))
  if (HOST_FOLDER.test(basename(folder)) && dirname(folder) !== homedir()) return dirname(folder)
  return PROJECT_FILE.test(basename(file)) ? folder : process.cwd()
}

/**
 * Reads a configuration from a file. Servers that are refused are left out; {@link readGatewayFile} says why.
 *
 * @throws UpstreamError `invalid_config` if nothing of it can be served, with all that is wrong.
 */
export async function readGatewayConfig(file: string, options: ReadOptions = {}): Promise<GatewayConfig> {
  const read = await readGatewayFile(file, options)
  const config = usableOf(file, read)
  const isNothing = Object.keys(config.mcpServers).length === 0 && read.refused.length > 0
  if (isNothing)
    throw toUnusable(
      file,
      read.refused.flatMap(({ reasons }) => reasons),
    )
  return config
}

function usableOf(file: string, { config, errors }: ReadConfig): GatewayConfig {
  if (config !== undefined) return config
  throw toUnusable(file, errors)
}

function toUnusable(file: string, reasons: readonly string[]): UpstreamError {
  const lines = [`"${file}" cannot be used:`, ...reasons.map((each) => `- ${each}`)]
  return new UpstreamError("invalid_config", lines.join("\n"))
}

/** As the mark at its beginning says; a shell of Windows writes UTF-16. */
function decode(bytes: Uint8Array): string {
  const [one, two] = bytes
  const encoding = one === 0xff && two === 0xfe ? "utf-16le" : one === 0xfe && two === 0xff ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

/** What is wrong with a configuration and each of its servers. */
export interface GatewayReport {
  /** Whether everything can be served. */
  readonly ok: boolean
  /** What is wrong with the configuration so that nothing can be served. */
  readonly errors: readonly string[]
  /** The servers that are refused because of what the file says of them. */
  readonly refused: readonly RefusedServer[]
  /** What will not do what its writer may think. */
  readonly warnings: readonly string[]
  /** Each other server, as it answered. */
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
export async function checkGateway(
  file: string,
  { signIns, ...options }: ReadOptions & Pick<GatewayOptions, "signIns"> = {},
): Promise<GatewayReport> {
  const { config, refused, errors, warnings } = await readGatewayFile(file, options)
  if (config === undefined) return { ok: false, refused, errors, warnings, servers: [] }
  const gateway = createGateway(config, { ...(signIns && { signIns }) })
  const notes = new Map<string, string[]>()
  const lastLines = new Map<string, string>()
  gateway.events.subscribe(({ server, event }) => {
    if (event.type === "diagnostic") notes.set(server, [...(notes.get(server) ?? []), event.message])
    if (event.type === "stderr" && event.line.trim() !== "") lastLines.set(server, event.line)
  })
  const asked = [...gateway.servers()].map(([name, upstream]) => checkServer(name, upstream))
  const found = await Promise.all(asked)
  await gateway.close()
  const servers = found.map((each) => {
    const last = each.ok ? undefined : lastLines.get(each.name)
    const said = last === undefined ? [] : [`it wrote last: ${last}`]
    return { ...each, notes: [...(notes.get(each.name) ?? []), ...said] }
  })
  return { ok: refused.length === 0 && servers.every(({ ok }) => ok), refused, errors, warnings, servers }
}

async function checkServer(name: string, upstream: Upstream): Promise<ServerReport> {
  const tools = firstValueFrom(upstream.actions)
  const status = await firstValueFrom(
    upstream.status.pipe(filter(({ state }) => !["idle", "connecting"].includes(state))),
  )
  const rest = { name, notes: [] }
  if (status.state !== "connected") return { ...rest, ok: false, message: toReason(status) }
  const [actions, states] = [await tools, await firstValueFrom(upstream.states)]
  const who = status.server === undefined ? "" : `${status.server.name} ${status.server.version}, `
  const counts = `${Object.keys(actions).length} tools, ${Object.keys(states).length} resources`
  return { ...rest, ok: true, message: `${who}${counts}, ${status.era} era` }
}

function toReason(status: UpstreamStatus): string {
  if (status.state === "down") return `${status.reason}; ${status.remedy}`
  return status.state === "waiting" ? status.reason : "it was closed"
}

/** What watching a file tells. */
export interface WatchEars {
  /** The gateway goes on with what the file says now: which servers came, went, or were started anew. */
  applied(servers: readonly string[]): void
  /** The file says what will not do what its writer may think. Default: nobody is told. */
  warned?(warnings: readonly string[]): void
  /** The file refuses servers: they are not served, not even as they were before. Default: nobody is told. */
  refused?(servers: readonly RefusedServer[]): void
  /** The file cannot be used as it is: the gateway goes on with what it had. */
  failed(error: UpstreamError): void
  /** How the file is read. */
  readonly read?: ReadOptions
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
  let [warned, refused] = ["", "[]"]
  const take = async (): Promise<void> => {
    const found = await readGatewayFile(file, ears.read)
    if (over) return
    const changed = gateway.apply(usableOf(file, found))
    const warnings = found.warnings.join("\n")
    if (warnings !== warned && warnings !== "") ears.warned?.(found.warnings)
    warned = warnings
    const now = JSON.stringify(found.refused)
    if (now !== refused && found.refused.length > 0) ears.refused?.(found.refused)
    refused = now
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
