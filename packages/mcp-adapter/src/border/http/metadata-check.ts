import { isRecord, parseJson } from "@x/base"
import type { Report } from "../../runtime/diagnostic.js"
import type { Answer } from "./exchange.js"

// A file of its own: only here and in stream-check.ts does the server send itself a request.

/**
 * Checks once that clients can read the metadata that the first 401 names. A web app's catch-all route in front of the endpoint
 * may answer that URL with HTML, and then sign-in fails without any message.
 *
 * @returns Takes each refusal.
 */
export function createMetadataCheck(report: Report): (answer: Answer) => void {
  let checked = false
  return ({ status, headers }) => {
    if (checked || status !== 401) return
    const url = /resource_metadata="([^"]+)"/.exec(headers?.["www-authenticate"] ?? "")?.[1]
    if (url === undefined) return
    checked = true
    void findFault(url).then((fault) => {
      if (fault === undefined) return
      const { found, change } = fault
      report({
        code: "metadata_unserved",
        message: `a 401 sends clients to "${url}", which returns ${found}: expected the metadata of this endpoint; ${change}`,
      })
    })
  }
}

/** The wrong content of a metadata URL, and its fix. */
interface Fault {
  readonly found: string
  readonly change: string
}

/** Describes what the URL serves instead of metadata; `undefined` if it serves metadata, or cannot be reached from here. */
async function findFault(url: string): Promise<Fault | undefined> {
  const path = new URL(url).pathname
  const whole = `mount it so that it keeps the whole path, such as app.all("${path}", …)`
  const mount = `mount the handler at "${path}" too, before any catch-all, such as app.all("${path}", mcp.handle), or mcp.fetch if you mount that`

  try {
    const accept = { accept: "application/json" }
    const response = await fetch(url, { headers: accept, redirect: "manual", signal: AbortSignal.timeout(PATIENCE) })
    const type = response.headers.get("content-type") ?? "no content type"
    if (response.ok && type.includes("json")) {
      const metadata = parseJson(await response.text())
      if (isRecord(metadata) && typeof metadata["resource"] === "string") return undefined
      return { found: "other JSON", change: mount }
    }
    await response.body?.cancel()
    // A router that strips its mount prefix hides the path that identifies the metadata.
    if (response.status === 401 && response.headers.get("www-authenticate")?.includes(url))
      return { found: "this endpoint's own 401", change: whole }
    return { found: `an answer of status ${response.status} and ${type}`, change: mount }
  } catch {
    return undefined
  }
}

/** Milliseconds. */
const PATIENCE = 5_000
