import { readFile, stat } from "node:fs/promises"
import { UpstreamError } from "../upstream-error.js"
import { parseConfigText } from "./config-text.js"
import type { Gateway } from "./create-gateway.js"
import type { GatewayConfig, RefusedServer } from "./gateway-config.js"
import { placeOfFile } from "./hosts/place-of-file.js"
import { parseGatewayConfig, type ReadConfig, type ReadOptions } from "./read-config.js"

/**
 * Reads a configuration from a file of any host: JSON with comments and trailing commas, TOML (`.toml`) or YAML (`.yaml`,
 * `.yml`). Never rejects because of the content.
 *
 * @param options - Default of `workspace`: the folder above a host's own folder, such as `.vscode`; else the current folder.
 * @example
 * ```ts
 * import { mkdtemp, rm, writeFile } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { readGatewayFile } from "@x/mcp-upstream/node"
 *
 * const folder = await mkdtemp(join(tmpdir(), "gateway-"))
 * await writeFile(`${folder}/mcp.json`, '{ "mcpServers": { "docs": { "url": "https://docs.example/mcp" }, "bad": {} } }')
 * const { config, refused } = await readGatewayFile(`${folder}/mcp.json`)
 * console.log(Object.keys(config?.mcpServers ?? {}), refused.map(({ name }) => name)) // [ 'docs' ] [ 'bad' ]
 * await rm(folder, { recursive: true })
 * ```
 */
export async function readGatewayFile(file: string, options: ReadOptions = {}): Promise<ReadConfig> {
  const text = await readFile(file).then(decode, (cause: unknown) => UpstreamError.from(cause))
  if (text instanceof UpstreamError) return unreadable(`"${file}" cannot be read: ${text.message}`)
  const parsed = parseConfigText(text, file)
  if ("fault" in parsed) return unreadable(`"${file}" ${parsed.fault}`)
  const read = await parseGatewayConfig(parsed.value, { ...placeOfFile(file), ...options })
  return { ...read, warnings: [...parsed.warnings, ...read.warnings] }
}

function unreadable(error: string): ReadConfig {
  return { refused: [], errors: [error], warnings: [] }
}

/**
 * Reads a configuration from a file. Leaves out refused servers; {@link readGatewayFile} returns the reasons.
 *
 * @throws UpstreamError `invalid_config` with all faults, if nothing can be served.
 * @example
 * ```ts
 * import { mkdtemp, rm, writeFile } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { createGateway, readGatewayConfig } from "@x/mcp-upstream/node"
 *
 * const folder = await mkdtemp(join(tmpdir(), "gateway-"))
 * await writeFile(`${folder}/mcp.json`, '{ "mcpServers": { "docs": { "url": "http://127.0.0.1:9/mcp" } } }')
 * const gateway = createGateway(await readGatewayConfig(`${folder}/mcp.json`))
 * console.log([...gateway.servers().keys()]) // [ 'docs' ]
 * await gateway.close()
 * await rm(folder, { recursive: true })
 * ```
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
  return new UpstreamError(lines.join("\n"), { code: "invalid_config" })
}

/** Decodes by the byte order mark, since Windows shells write UTF-16. */
function decode(bytes: Uint8Array): string {
  const [one, two] = bytes
  const encoding = one === 0xff && two === 0xfe ? "utf-16le" : one === 0xfe && two === 0xff ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

/** The listeners of {@link followGatewayFile}. */
export interface WatchEars {
  /** Receives the servers that were added, removed or restarted by a new content. */
  applied(servers: readonly string[]): void
  /** Receives parts that may not do what their author expects. Default: ignored. */
  warned?(warnings: readonly string[]): void
  /** Receives the refused servers, which are no longer served, not even with their former entry. Default: ignored. */
  refused?(servers: readonly RefusedServer[]): void
  /** Receives the error of an unusable file; the gateway keeps its former configuration. */
  failed(error: UpstreamError): void
  /** Options for reading the file. */
  readonly read?: ReadOptions
}

/** Milliseconds between checks for a change. */
const LOOK_MS = 250

/**
 * Applies each change of a file to a gateway, whether the file is written, renamed, or a symbolic link to another one, as in
 * mounted configurations. File system events would miss the last case.
 *
 * @returns A function that stops following.
 * @example
 * ```ts
 * import { mkdtemp, rm, writeFile } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { createGateway, followGatewayFile } from "@x/mcp-upstream/node"
 *
 * const folder = await mkdtemp(join(tmpdir(), "gateway-"))
 * await writeFile(`${folder}/mcp.json`, '{ "mcpServers": { "docs": { "url": "http://127.0.0.1:9/mcp" } } }')
 * const gateway = createGateway({ mcpServers: {} })
 * const stop = followGatewayFile(gateway, `${folder}/mcp.json`, {
 *   applied: (servers) => console.log("now served or changed:", servers),
 *   failed: ({ message }) => console.error(message),
 * })
 * stop() // when your program ends
 * await gateway.close()
 * await rm(folder, { recursive: true })
 * ```
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
    // Editors write in steps, so the file is read once it stops changing.
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

/** Returns a text that changes with the file. */
function stateOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
    () => "gone",
  )
}
