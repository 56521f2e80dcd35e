import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The recorded requests, which the benchmark sends and a test answers. */
const RECORDED = join(
  ...[import.meta.dirname, "..", "..", "..", "..", "packages", "mcp-adapter", "test", "support"],
  "client-requests.json",
)

/** Headers that belong to the connection, or that each client may set as it likes. */
const OWN = /^(accept|mcp-.*)$/

/**
 * Records the first request of each method that a client sent, with its headers, in the client's row.
 *
 * @param source - The client's title and version, and the rig that ran it.
 * @param entries - Journal entries with HTTP requests.
 */
export function recordRequests(source, entries) {
  const first = new Map()
  for (const { from, message, headers = {} } of entries) {
    if (from !== "client" || message?.id === undefined || message.method === undefined) continue
    if (first.has(message.method)) continue
    const kept = Object.entries(headers).filter(([name]) => OWN.test(name))
    const sent = kept.map(([name, value]) => [name, name === "mcp-session-id" ? "session" : value])
    first.set(message.method, { headers: Object.fromEntries(sent), message })
  }
  if (first.size === 0) return
  const rows = readRows().filter(({ client }) => client !== source.client)
  rows.push({ ...source, requests: [...first.values()] })
  rows.sort((one, other) => (one.client < other.client ? -1 : 1))
  writeFileSync(RECORDED, `${JSON.stringify(rows, undefined, 2)}\n`)
}

function readRows() {
  try {
    return JSON.parse(readFileSync(RECORDED, "utf8"))
  } catch {
    return []
  }
}
