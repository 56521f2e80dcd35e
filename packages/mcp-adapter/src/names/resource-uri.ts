import { formatPath, type Path, parsePath } from "./path.js"

/**
 * Creates a state's URI: `agentic://<server>/<path…>/<key>`, valid by RFC 3986 and unchanged by URL normalisation. Path and key
 * can be parsed from it. The server's name keeps only `[a-z0-9-]`.
 */
export function toResourceUri(server: string, path: Path, key: string): string {
  return `agentic://${toAuthority(server)}/${formatPath([...path, key])}`
}

/**
 * Creates the local URI of a remote server's resource: a state URI under the path of its service. The remote URI cannot be
 * used, because two servers may have the same one. It stays only for resources at the root, and for schemes that clients fetch
 * or display themselves (`https:`, `data:`, `ui:`).
 *
 * @example
 * ```ts
 * import { toPlacedUri } from "@x/mcp-adapter/binding"
 *
 * console.log(toPlacedUri("gateway", ["files"], "file:///notes.md")) // agentic://gateway/files/file%3A%2F%2F%2Fnotes.md
 * console.log(toPlacedUri("gateway", ["files"], "https://files.example/notes.md")) // https://files.example/notes.md
 * ```
 */
export function toPlacedUri(server: string, path: Path, uri: string): string {
  return path.length === 0 || KEPT.test(uri) ? uri : toResourceUri(server, path, uri)
}

const KEPT = /^(https?|data|ui):/i

/** The place of a state. */
export interface PlacedState {
  /** The state's service, as link keys from the root. */
  readonly path: Path
  /** The state's key there. */
  readonly key: string
}

/**
 * Parses path and key from a server's state URI. Returns `undefined` for any other text.
 *
 * @example
 * ```ts
 * import { parseResourceUri } from "@x/mcp-adapter/binding"
 *
 * console.log(parseResourceUri("board", "agentic://board/rooms/hall/count")) // { path: [ 'rooms', 'hall' ], key: 'count' }
 * console.log(parseResourceUri("board", "https://board.example/")) // undefined
 * ```
 */
export function parseResourceUri(server: string, uri: string): PlacedState | undefined {
  const before = `agentic://${toAuthority(server)}/`
  const path = uri.startsWith(before) ? parsePath(uri.slice(before.length)) : undefined
  const key = path?.at(-1)
  return path === undefined || key === undefined ? undefined : { path: path.slice(0, -1), key }
}

/** Returns the RFC 6570 template of a server's state URIs. */
export function resourceUriTemplate(server: string): string {
  return `agentic://${toAuthority(server)}/{+path}`
}

/**
 * Converts a server's name to an authority. Lower case, since authorities are case-insensitive (RFC 3986 section 3.2.2); never
 * empty.
 */
function toAuthority(server: string): string {
  const slug = server
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
  return slug || "service"
}
