import { formatPath, type Path, parsePath } from "./path.js"

/**
 * Gives a state its URI: `agentic://<server>/<path…>/<key>`, valid by RFC 3986 and unchanged by URL normalisation.
 * Path and key can be read from it; of the server's name only `[a-z0-9-]` is kept.
 */
export function toResourceUri(server: string, path: Path, key: string): string {
  return `agentic://${toAuthority(server)}/${formatPath([...path, key])}`
}

/**
 * Gives a resource of a server elsewhere the URI that it has here, where two servers may have one of the same URI: that of a state
 * under the path of its service. What a client fetches or shows by its scheme keeps its URI, and so does everything at the root.
 */
export function toPlacedUri(server: string, path: Path, uri: string): string {
  return path.length === 0 || KEPT.test(uri) ? uri : toResourceUri(server, path, uri)
}

const KEPT = /^(https?|data|ui):/i

/** Where a state is. */
export interface PlacedState {
  /** The service that has it, as link keys from the root. */
  readonly path: Path
  /** Its key there. */
  readonly key: string
}

/** Reads the path and key in a URI of a server's own states. Returns `undefined` for any other text. */
export function parseResourceUri(server: string, uri: string): PlacedState | undefined {
  const before = `agentic://${toAuthority(server)}/`
  const path = uri.startsWith(before) ? parsePath(uri.slice(before.length)) : undefined
  const key = path?.at(-1)
  return path === undefined || key === undefined ? undefined : { path: path.slice(0, -1), key }
}

/** The family of a server's state URIs, as an RFC 6570 template. */
export function resourceUriTemplate(server: string): string {
  return `agentic://${toAuthority(server)}/{+path}`
}

/** Lower case, as an authority is case-insensitive (RFC 3986 section 3.2.2); never empty. */
function toAuthority(server: string): string {
  const slug = server
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
  return slug || "service"
}
