import type { AgenticService } from "@x/agentic-service"
import { type AskHere, type Channel, offerService, type WireEnd } from "@x/service-wire"
import { fromWebSocket } from "@x/service-wire/websocket"
import { BehaviorSubject, type Observable } from "rxjs"
import {
  type BridgeChannel,
  PROTOCOL,
  partChannel,
  type RefusalCode,
  readRefusal,
  TOKEN_PREFIX,
} from "./bridge-frames.js"
import { createRetry, createTab, followPage, type Tab } from "./page.js"

export type { RefusalCode }

/** How a page is connected. */
export interface PageOptions {
  /** Where the host accepts pages: `ws:`, `wss:`, `http:`, `https:`, or a path on the page's own origin. Default `/mcp/pages`. */
  readonly url?: string | URL
  /**
   * What lets the page in, where the host asks for it. A function is asked before each attempt, so that a ticket that serves once
   * can be had again. It travels beside the address, never in it.
   */
  readonly token?: string | (() => string | Promise<string>)
  /** The name of the application, the same in all its tabs. Default: the service's name. */
  readonly app?: string
  /** Puts the questions of actions to the person in front of the page. Default: they are put to whoever calls. */
  readonly ask?: AskHere
  /** Opens something else than a WebSocket, such as the hot channel of a bundler. */
  readonly open?: () => Channel
}

/** A page that is connected to its host, or tries to be. */
export interface ConnectedPage {
  /** How it is doing, now and whenever that changes. Never errors; completes with {@link ConnectedPage.close}. */
  readonly status: Observable<PageStatus>
  /** Leaves, and says goodbye; idempotent. The service goes on. */
  close(): void
}

/** How the connection of a page is doing. */
export type PageStatus =
  /** It is being opened. */
  | { readonly state: "connecting" }
  /** The host shows the page's service. */
  | { readonly state: "connected" }
  /** It is lost, or was never had, and tried again after so many milliseconds; `undefined`: once the page is looked at again. */
  | { readonly state: "waiting"; readonly reason: string; readonly retryMs: number | undefined }
  /** The host does not take the page as it is: trying again would change nothing. */
  | { readonly state: "refused"; readonly code: RefusalCode; readonly reason: string }
  /** The browser does not let the page reach this machine, or is about to ask the person whether it may. */
  | { readonly state: "blocked" | "asking"; readonly reason: string }
  /** The page is in the back/forward cache, or was left. */
  | { readonly state: "left" }

/**
 * Offers the service of a page to its host, which brings it to models. It stays connected through reloads of the host, sleep and
 * the back/forward cache, and says how it is doing. Call it once per page and application: a
 * second time ends the first.
 *
 * @example
 * ```ts
 * import type { AgenticService } from "@x/agentic-service"
 * import { connectPage } from "@x/page-bridge"
 *
 * export function connect(board: AgenticService) {
 *   const page = connectPage(board, { url: "/mcp/pages" })
 *   page.status.subscribe((status) => console.log(status.state))
 *   return () => page.close()
 * }
 * ```
 */
export function connectPage(service: AgenticService, options: PageOptions = {}): ConnectedPage {
  const status = new BehaviorSubject<PageStatus>({ state: "connecting" })
  const app = options.app ?? service.name
  const tab = createTab(app)
  let line: Line | undefined
  let closed = false

  const connect = async (): Promise<void> => {
    if (closed || line !== undefined) return
    status.next({ state: "connecting" })
    const opened = createLine(service, { ...options, app, tab, status, ended })
    line = opened
    await opened.start()
  }
  const ended = (reason: string): void => {
    line = undefined
    if (!closed && isOver(status.value)) retry.stop()
    else if (!closed) status.next({ state: "waiting", reason, retryMs: retry.later() })
  }
  const leave = (): void => {
    retry.stop()
    line?.leave()
    line = undefined
    status.next({ state: "left" })
  }
  const retry = createRetry(() => void connect())
  const page = followPage({
    changed: () => line?.focus(),
    hidden: leave,
    woken: () => {
      // Who was told that the browser is in the way may have changed its settings.
      if (!closed && status.value.state !== "refused") retry.now()
    },
    shown: retry.now,
  })
  // Where a component is mounted twice to try it out, the first is gone before it begins.
  retry.now()
  status.subscribe(({ state }) => state === "connected" && retry.reset())

  const connected: ConnectedPage = {
    status: status.asObservable(),
    close() {
      if (closed) return
      leave()
      closed = true
      if (pages.get(app) === connected) pages.delete(app)
      page.stop()
      status.complete()
    },
  }
  // A module that is loaded again in the same page, as by a hot update, begins anew: what it made before is another service.
  const pages = connectedPages()
  pages.get(app)?.close()
  pages.set(app, connected)
  return connected
}

/** What this page has connected, by application; outside of the module, which may be there twice. */
function connectedPages(): Map<string, ConnectedPage> {
  const key = Symbol.for("@x/page-bridge/pages")
  const pages: Map<string, ConnectedPage> = Reflect.get(globalThis, key) ?? new Map<string, ConnectedPage>()
  Reflect.set(globalThis, key, pages)
  return pages
}

function isOver({ state }: PageStatus): boolean {
  return state === "refused" || state === "blocked"
}

/** One attempt, and what comes of it. */
interface Line {
  start(): Promise<void>
  /** Says whether the person has the page in front. */
  focus(): void
  /** Says that the page is left, and ends. */
  leave(): void
}

interface LineOptions extends PageOptions {
  readonly app: string
  readonly tab: Tab
  readonly status: BehaviorSubject<PageStatus>
  /** Told once when it is over; not where the page left. */
  readonly ended: (reason: string) => void
}

function createLine(service: AgenticService, options: LineOptions): Line {
  const { app, tab, status, ask } = options
  let bridge: BridgeChannel | undefined
  let offer: WireEnd | undefined
  let block: Block | undefined
  let over = false

  const end = (reason: string): void => {
    if (over) return
    over = true
    // Some browsers say "denied" of what they would let pass: it counts where it was in vain.
    if (block?.state === "blocked" && offer === undefined) status.next(block)
    options.ended(reason)
  }
  const asked = (found: Block): void => {
    block = found
    if (found.state === "asking") status.next(found)
  }
  const said = (frame: Readonly<Record<string, unknown>>): void => {
    if (over || bridge === undefined) return
    if (frame["t"] === "welcome") {
      if (typeof frame["tab"] === "string") tab.rename(frame["tab"])
      offer = offerService(service, bridge.wire, { silentMs: SILENT_MS, ...(ask && { ask }) })
      void offer.closed.then(({ code, reason }) => {
        if (code === "version") refuse({ code, reason })
        end(reason)
      })
      status.next({ state: "connected" })
    } else if (frame["t"] === "refused") refuse(readRefusal(frame))
  }
  const refuse = ({ code, reason }: { readonly code: RefusalCode; readonly reason: string }): void => {
    // A ticket that serves once is worth another attempt: the next one is fresh.
    if (code !== "unauthorized" || typeof options.token !== "function") status.next({ state: "refused", code, reason })
  }

  return {
    async start() {
      try {
        const channel = await open(options, asked)
        if (over) return channel.close()
        bridge = partChannel(channel, { said, closed: end })
        bridge.say({ t: "page", app, ...tab.describe() })
      } catch (thrown) {
        end(thrown instanceof Error ? thrown.message : String(thrown))
      }
    },
    focus() {
      const { title, focused } = tab.describe()
      if (!over) bridge?.say({ t: "focus", title, focused })
    },
    leave() {
      if (over) return
      over = true
      bridge?.say({ t: "leave" })
      offer?.close("the page was left")
      bridge?.wire.close("the page was left")
    },
  }
}

/** Twice as long as a host lets a page be silent: a page in the background has slow timers. */
const SILENT_MS = 30_000

async function open({ url, token, open: openOther }: LineOptions, asked: (block: Block) => void): Promise<Channel> {
  const other = openOther ?? (url === undefined ? openBeside() : undefined)
  if (other !== undefined) return other()
  const address = toAddress(url ?? "/mcp/pages")
  const block = await findBlock(address)
  if (block !== undefined) asked(block)
  const text = typeof token === "function" ? await token() : token
  const protocols = text === undefined ? [PROTOCOL] : [PROTOCOL, TOKEN_PREFIX + encodeToken(text)]
  return fromWebSocket(new WebSocket(address, protocols))
}

/** What a dev server gave its pages to reach it with; registered, because it does not import this module. */
function openBeside(): (() => Channel) | undefined {
  return Reflect.get(globalThis, Symbol.for("@x/page-bridge/open"))
}

function toAddress(url: string | URL): URL {
  const address = new URL(url, location.href)
  if (address.protocol === "http:") address.protocol = "ws:"
  if (address.protocol === "https:") address.protocol = "wss:"
  return address
}

/** A subprotocol takes few characters (RFC 9110, token). */
function encodeToken(token: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(token)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
}

/** What a browser says of the permission to reach this machine. */
type Block = Extract<PageStatus, { state: "blocked" | "asking" }>

/** A browser asks before a page of the web may reach a program on this machine; where the answer was no, trying says nothing. */
async function findBlock({ hostname }: URL): Promise<Block | undefined> {
  if (!isLoopback(hostname) || isLoopback(location.hostname)) return undefined
  const state = await queryPermission()
  if (state === "denied")
    return {
      state: "blocked",
      reason: isSecureContext
        ? "the browser does not let this site reach programs on this device: allow it in the settings of the site"
        : "the browser lets no page without https reach programs on this device: open the app by https",
    }
  if (state === "prompt")
    return { state: "asking", reason: "the browser asks whether this site may reach programs on this device" }
  return undefined
}

async function queryPermission(): Promise<string | undefined> {
  try {
    // Newer than the names that TypeScript knows, and not in every browser: those do not ask.
    const { state } = await navigator.permissions.query({ name: "loopback-network" as PermissionName })
    return state
  } catch {
    return undefined
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127\./.test(hostname)
}
