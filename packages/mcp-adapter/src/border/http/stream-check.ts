import { isLocalHost, isLoopbackAddress } from "@x/base"
import type { Report } from "../../runtime/diagnostic.js"
import type { RequestExtra, RequestHead } from "./exchange.js"

/** Checks that GET reaches the endpoint, over which older clients receive their notifications. */
export interface StreamCheck {
  /** Whether a request is the check's own. It needs no admission. */
  takes(head: RequestHead): boolean
  /** Starts the check, once. Call it with the request that opens a session. */
  begin(request: { readonly head: RequestHead; readonly extra: RequestExtra }): void
  /** Stops the check. */
  close(): void
}

/**
 * Creates the check. A page's catch-all route in front of the endpoint, or a mount for POST alone, answers GET in its place.
 * Clients of revisions up to 2025-11-25 then get no notifications, without any message. So the endpoint sends itself one GET
 * when the first such client connects, and reports if it does not arrive.
 *
 * Only clients on this machine start it, because only then does their URL lead to the same server from here.
 */
export function createStreamCheck(report: Report): StreamCheck {
  const closing = new AbortController()
  let begun = false
  let token: string | undefined
  const check = async (url: URL): Promise<void> => {
    token = crypto.randomUUID()
    const found = await findOther(url, { token, closing: closing.signal, arrived: () => token === undefined })
    token = undefined
    if (found === undefined) return
    const mount = `app.all("${url.pathname}", mcp.handle), or mcp.fetch if you mount that`
    report({
      code: "stream_unserved",
      message: `GET "${url.href}" does not reach this endpoint but returns ${found}, so older clients get no notifications: mount the handler for all methods and before any catch-all, such as ${mount}`,
    })
  }
  return {
    takes(head) {
      if (token === undefined || head.method !== "GET" || head.headers.get(HEADER) !== token) return false
      token = undefined
      return true
    },
    begin({ head, extra }) {
      if (begun) return
      const url = toOwnUrl(head, extra)
      if (url === undefined) return
      begun = true
      void check(url)
    },
    close: () => closing.abort(),
  }
}

const HEADER = "mcp-mount-check"

/** The headers of proxies, behind which the URL may lead elsewhere, and of pages with a login. */
const ELSEWHERE = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via", "cookie"]

/** Returns the URL that a client on this machine has used; `undefined` if it may lead elsewhere from here. */
function toOwnUrl({ url, headers }: RequestHead, { remoteAddress, sentTarget }: RequestExtra): URL | undefined {
  if (sentTarget === undefined || remoteAddress === undefined || !isLoopbackAddress(remoteAddress)) return undefined
  if (ELSEWHERE.some((name) => headers.get(name) !== null) || !URL.canParse(sentTarget, url)) return undefined
  const own = new URL(sentTarget, url)
  return isLocalHost(own.hostname) ? own : undefined
}

interface Probe {
  readonly token: string
  readonly closing: AbortSignal
  /** Whether the request has reached the endpoint. */
  arrived(): boolean
}

/** Describes the answer of something else; `undefined` if GET reaches the endpoint, or is refused or redirected on the way. */
async function findOther(url: URL, { token, closing, arrived }: Probe): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      headers: { accept: "text/event-stream", [HEADER]: token },
      redirect: "manual",
      signal: AbortSignal.any([closing, AbortSignal.timeout(PATIENCE)]),
    })
    await response.body?.cancel()
    if (arrived() || (!response.ok && response.status !== 404 && response.status !== 405)) return undefined
    return `status ${response.status} and ${response.headers.get("content-type") ?? "no content type"}`
  } catch {
    return undefined
  }
}

/** Milliseconds. */
const PATIENCE = 5_000
