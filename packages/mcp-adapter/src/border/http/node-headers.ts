import type { ServerResponse } from "node:http"

// A file of its own: only here do the application's headers meet ours.

/**
 * Merges an answer's headers with those that layers in front, such as CORS middleware, have set on the response: lists contain
 * the names of both, and no origin gets a permission meant for another.
 */
export function agreeHeaders(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (response.getHeaderNames().length === 0) return headers
  const origin = headers["access-control-allow-origin"]
  // The layer in front allowed credentials only to the origin it named.
  if (origin !== undefined && response.getHeader("access-control-allow-origin") !== origin)
    response.removeHeader("access-control-allow-credentials")
  const joined = LISTS.flatMap((name) => {
    const [ours, theirs] = [headers[name], response.getHeader(name)]
    return ours === undefined || theirs === undefined ? [] : [[name, joinLists(String(theirs), ours)]]
  })
  return joined.length === 0 ? headers : { ...headers, ...Object.fromEntries(joined) }
}

/** Headers that are lists of names. */
const LISTS = ["vary", "access-control-expose-headers"]

function joinLists(...lists: readonly string[]): string {
  const names = lists.flatMap((list) => list.split(",")).map((name) => name.trim())
  const byKey = new Map(names.filter((name) => name !== "").map((name) => [name.toLowerCase(), name]))
  return [...byKey.values()].join(", ")
}
