import { formatPath, type Path, parsePath } from "./path.js"

/** What a resource URI says. */
export interface ResourceAddress {
  /** The server's name, as {@link toResourceUri} shortened it. */
  readonly server: string
  /** The service, as link keys from the root. */
  readonly path: Path
  /** The state's key in its service. */
  readonly key: string
}

/**
 * Gives a state its URI: `agentic://<server>/<path…>/<key>`, valid by RFC 3986 and unchanged by URL normalisation.
 * Path and key come back whole from {@link parseResourceUri}; of the server's name only `[a-z0-9-]` is kept.
 */
export function toResourceUri(server: string, path: Path, key: string): string {
  return `agentic://${toAuthority(server)}/${formatPath([...path, key])}`
}

/** Reads a URI that {@link toResourceUri} made; `undefined` for any other. */
export function parseResourceUri(uri: string): ResourceAddress | undefined {
  const [, server, rest] = /^agentic:\/\/([a-z0-9-]+)\/(.+)$/.exec(uri) ?? []
  if (server === undefined || rest === undefined) return undefined
  const segments = parsePath(rest)
  const key = segments?.at(-1)
  if (segments === undefined || key === undefined) return undefined
  return { server, path: segments.slice(0, -1), key }
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
