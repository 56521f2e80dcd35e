import { isRecord, parseJson } from "@x/tool-schemas/json"
import type { Report } from "../../runtime/diagnostic.js"
import type { Answer } from "./exchange.js"

// Stands alone because it is the one place where a server asks for something itself.

/**
 * Checks, once, that clients find what the first 401 sends them to: a page's catch-all in front of the endpoint answers the
 * metadata's URL with HTML, and then no sign-in ever begins, without a word anywhere.
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
    void findFault(url).then((found) => {
      if (found === undefined) return
      const path = new URL(url).pathname
      const change = `mount the handler at "${path}" too, before any catch-all, such as app.all("${path}", mcp.handle)`
      report({
        code: "metadata_unserved",
        message: `a 401 sends clients to "${url}", where ${found} is: expected the metadata of this endpoint; ${change}`,
      })
    })
  }
}

/** What stands at a URL in the place of metadata; `undefined` where there is metadata, or where it cannot be reached from here. */
async function findFault(url: string): Promise<string | undefined> {
  try {
    const accept = { accept: "application/json" }
    const response = await fetch(url, { headers: accept, redirect: "manual", signal: AbortSignal.timeout(PATIENCE) })
    const type = response.headers.get("content-type") ?? "no content type"
    if (response.ok && type.includes("json")) {
      const metadata = parseJson(await response.text())
      return isRecord(metadata) && typeof metadata["resource"] === "string" ? undefined : "other JSON"
    }
    await response.body?.cancel()
    return `an answer of status ${response.status} and ${type}`
  } catch {
    return undefined
  }
}

/** In milliseconds. */
const PATIENCE = 5_000
