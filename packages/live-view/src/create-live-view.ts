import { findOptionFault } from "@x/base"
import type { McpAdapter } from "@x/mcp-adapter"
import {
  createHttpGate,
  type FetchHandler,
  type HttpEndpoint,
  toFetchHandler,
  type Visitor,
} from "@x/mcp-adapter/fetch"
import { watchAdapter } from "./frames/watch-adapter.js"
import { sendAsset } from "./handler/assets.js"
import type { Post } from "./handler/lookups.js"
import { createLookups } from "./handler/lookups.js"
import { createRecordings } from "./handler/recordings.js"
import { createViewers } from "./handler/viewers.js"
import { LiveViewError } from "./live-view-error.js"
import { type LiveViewOptions, liveViewRules } from "./live-view-options.js"

/**
 * Creates a page that shows live what a model sees of an adapter, for any host with `fetch`: tools under each exposure and
 * profile, states, links, calls, clients, and the cost of a list. It answers requests from this machine only.
 *
 * @throws LiveViewError `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createLiveView } from "@x/live-view"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const live = createLiveView(adapter, { show: true })
 * const page = await live.fetch(new Request("http://localhost/live"))
 * console.log(page.status, page.headers.get("location")) // 308 /live/
 * await live.close()
 * adapter.close()
 * ```
 */
export function createLiveView(adapter: McpAdapter, options: LiveViewOptions = {}): FetchHandler {
  return toFetchHandler(createLiveViewEndpoint(adapter, options))
}

/**
 * Creates the same page for a host with its own requests, such as Node's.
 *
 * @throws LiveViewError `invalid_option` for an unknown or invalid option.
 */
export function createLiveViewEndpoint(adapter: McpAdapter, options: LiveViewOptions = {}): HttpEndpoint {
  const fault = findOptionFault(options, liveViewRules)
  if (fault !== undefined) throw new LiveViewError(fault, { code: "invalid_option" })
  const base = (options.path ?? "/live").replace(/\/+$/, "")
  const watch = watchAdapter(adapter, options)
  const viewers = createViewers(watch, options.maxViewers ?? 20)
  const recordings = createRecordings(adapter, options)
  const posts: Readonly<Record<string, Post>> = {
    ...createLookups(adapter, watch, options),
    ...recordings.posts,
  }
  const answerGet = async (visitor: Visitor, name: string): Promise<void> => {
    if (name !== "events") return sendAsset(visitor, name)
    return isOfSite(visitor)
      ? viewers.add(visitor)
      : refuse(visitor, 403, "found a request from another site, expected one from the live view's own page")
  }
  const gate = createHttpGate(adapter, {}, async (visitor) => {
    if (!isLocal(visitor))
      return refuse(
        visitor,
        403,
        "found a request from another machine, expected one from this machine: the live view is local only",
      )
    const path = new URL(visitor.head.url).pathname
    if (path === base) return visitor.send({ status: 308, headers: { location: `${base}/` } })
    if (!path.startsWith(`${base}/`)) return refuse(visitor, 404, NOTHING)
    const name = path.slice(base.length + 1)
    if (visitor.head.method === "GET") return answerGet(visitor, name)
    return answerPost(visitor, Object.hasOwn(posts, name) ? posts[name] : undefined)
  })
  return {
    answer: gate.answer,
    held: gate.held,
    async close() {
      recordings.close()
      viewers.close()
      watch.close()
      await gate.idle()
    },
  }
}

async function answerPost(visitor: Visitor, post: Post | undefined): Promise<void> {
  if (visitor.head.method !== "POST" || post === undefined) return refuse(visitor, 404, NOTHING)
  const read = await visitor.readBody()
  if (!read.ok) return visitor.send(read.answer)
  const body = typeof read.body === "object" && read.body !== null ? { ...read.body } : {}
  const answer = await post(body, visitor)
  if (answer === undefined) return refuse(visitor, 404, "the requested item does not exist now")
  send(visitor, 200, answer)
}

const NOTHING = "no resource exists at this path"

function refuse(visitor: Visitor, status: number, error: string): void {
  send(visitor, status, { error })
}

function send(visitor: Visitor, status: number, body: object): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" }
  visitor.send({ status, headers, body: JSON.stringify(body) })
}

/**
 * Whether a request comes from a page of this site, as far as the browser says. Any site may make a browser fetch an address.
 */
function isOfSite({ head }: Visitor): boolean {
  const site = head.headers.get("sec-fetch-site")
  return site === null || site === "same-origin" || site === "none"
}

/** The headers that proxies add. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
]

/**
 * Whether a request comes from this machine. Forwarded requests never do. If the host does not report an address, the check of
 * `Host` has to suffice.
 */
function isLocal({ head, extra }: Visitor): boolean {
  if (FORWARDED.some((name) => head.headers.get(name) !== null)) return false
  const { remoteAddress } = extra
  return remoteAddress === undefined || /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i.test(remoteAddress)
}
