import type { McpAdapter } from "@x/mcp-adapter"
import {
  createHttpGate,
  type FetchHandler,
  type HttpEndpoint,
  toFetchHandler,
  type Visitor,
} from "@x/mcp-adapter/fetch"
import { findOptionFault } from "@x/tool-schemas/json"
import { watchAdapter } from "./frames/watch-adapter.js"
import { sendAsset } from "./handler/assets.js"
import { createLookups } from "./handler/lookups.js"
import type { Post } from "./handler/post.js"
import { createRecordings } from "./handler/recordings.js"
import { createViewers } from "./handler/viewers.js"
import { LiveViewError } from "./live-view-error.js"
import { type LiveViewOptions, liveViewRules } from "./live-view-options.js"

/**
 * Makes a page that shows what a model sees of an adapter, as it changes, for whatever host has `fetch`: tools under each
 * exposure and profile, states, links, calls, clients, and what a list costs. It answers requests from this machine only.
 *
 * @throws LiveViewError `invalid_option` for an option that there is not, or that cannot be.
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
 * The same for a host with requests of its own, such as Node's: see `./node`.
 *
 * @throws LiveViewError `invalid_option`.
 */
export function createLiveViewEndpoint(adapter: McpAdapter, options: LiveViewOptions = {}): HttpEndpoint {
  const fault = findOptionFault(options, liveViewRules)
  if (fault !== undefined) throw new LiveViewError("invalid_option", fault)
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
    return isOfSite(visitor) ? viewers.add(visitor) : refuse(visitor, 403, "the live view is for its own page only")
  }
  const gate = createHttpGate(adapter, {}, async (visitor) => {
    if (!isLocal(visitor)) return refuse(visitor, 403, "the live view is for this machine only")
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
  if (answer === undefined) return refuse(visitor, 404, "there is nothing of that name now")
  send(visitor, 200, answer)
}

const NOTHING = "there is nothing at this path"

function refuse(visitor: Visitor, status: number, error: string): void {
  send(visitor, status, { error })
}

function send(visitor: Visitor, status: number, body: object): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" }
  visitor.send({ status, headers, body: JSON.stringify(body) })
}

/** Whether a browser, where it is one that says so, asks for a page of this very site: any site may have it fetch an address. */
function isOfSite({ head }: Visitor): boolean {
  const site = head.headers.get("sec-fetch-site")
  return site === null || site === "same-origin" || site === "none"
}

/** What proxies add to what they hand on. */
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

/** What was forwarded came from elsewhere, whoever handed it on. Where the host does not say from where, `Host` has to do. */
function isLocal({ head, extra }: Visitor): boolean {
  if (FORWARDED.some((name) => head.headers.get(name) !== null)) return false
  const { remoteAddress } = extra
  return remoteAddress === undefined || /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i.test(remoteAddress)
}
