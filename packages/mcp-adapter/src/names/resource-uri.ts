import { formatPath, type Path } from "./path.js"

/**
 * Gives a state its URI: `agentic://<server>/<path…>/<key>`, valid by RFC 3986 and unchanged by URL normalisation.
 * Path and key can be read from it; of the server's name only `[a-z0-9-]` is kept.
 */
export function toResourceUri(server: string, path: Path, key: string): string {
  return `agentic://${toAuthority(server)}/${formatPath([...path, key])}`
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
