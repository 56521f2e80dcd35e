import type { AgenticService } from "@x/agentic-service"
import { toMessage } from "@x/base"
import { type AskHere, offerService, type WireEnd } from "@x/service-wire"
import { BehaviorSubject, type Observable } from "rxjs"
import { type BridgeChannel, partChannel, type RefusalCode, readRefusal } from "./bridge-frames.js"
import { type Block, type ChannelOptions, OptionError, openChannel } from "./open-channel.js"
import { createRetry, createTab, followPage, type Tab } from "./page.js"

export type { ChannelOptions, RefusalCode }

/** Options of a connected page. */
export interface PageOptions extends ChannelOptions {
  /** The application's name, the same in all its tabs. Default: the service's name. */
  readonly app?: string
  /** Asks the person in front of the page an action's questions. Default: the caller is asked. */
  readonly ask?: AskHere
}

/** A page that is connected to its host or keeps trying. */
export interface ConnectedPage {
  /** The current status and its changes. Never errors; completes with {@link ConnectedPage.close}. */
  readonly status: Observable<PageStatus>
  /** Says goodbye and disconnects; idempotent. The service stays open. */
  close(): void
}

/** The status of a page's connection. */
export type PageStatus =
  /** The connection is being opened. */
  | { readonly state: "connecting" }
  /** The host shows the page's service. */
  | { readonly state: "connected" }
  /**
   * There is no connection. The next attempt follows after `retryMs`; if that is `undefined`, once the page becomes visible
   * again.
   */
  | { readonly state: "waiting"; readonly reason: string; readonly retryMs: number | undefined }
  /** The host rejected the page, or one of its options is invalid, and an unchanged attempt would fail again. */
  | { readonly state: "refused"; readonly code: RefusalCode | "invalid_option"; readonly reason: string }
  /** The browser blocks this page from reaching the machine, or is about to ask the person. */
  | { readonly state: "blocked" | "asking"; readonly reason: string }
  /** The page is in the back/forward cache or was unloaded. */
  | { readonly state: "left" }

/**
 * Offers a page's service to its host, which brings it to models. The connection survives restarts of the host, sleep and the
 * back/forward cache. Call it once per page and application: a second call ends the first connection.
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
      // The person may have changed the browser's settings after the status `blocked`.
      if (!closed && status.value.state !== "refused") retry.now()
    },
    shown: retry.now,
  })
  // If a component is mounted twice, as React's StrictMode does, the first connection is closed before it starts.
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
  // A hot update runs the module again in the same page. Its new service replaces the previous one.
  const pages = connectedPages()
  pages.get(app)?.close()
  pages.set(app, connected)
  return connected
}

/** Returns this page's connections by application. They live outside the module, which may be loaded twice. */
function connectedPages(): Map<string, ConnectedPage> {
  const key = Symbol.for("@x/page-bridge/pages")
  const pages: Map<string, ConnectedPage> = Reflect.get(globalThis, key) ?? new Map<string, ConnectedPage>()
  Reflect.set(globalThis, key, pages)
  return pages
}

function isOver({ state }: PageStatus): boolean {
  return state === "refused" || state === "blocked"
}

/** One connection attempt. */
interface Line {
  start(): Promise<void>
  /** Sends the tab's focus and title. */
  focus(): void
  /** Announces that the page is unloaded, and ends. */
  leave(): void
}

interface LineOptions extends PageOptions {
  readonly app: string
  readonly tab: Tab
  readonly status: BehaviorSubject<PageStatus>
  /** Called once when the attempt or connection is over, unless the page left. */
  readonly ended: (reason: string) => void
}

function createLine(service: AgenticService, options: LineOptions): Line {
  const { app, tab, status, ask } = options
  let bridge: BridgeChannel | undefined
  let offer: WireEnd | undefined
  let block: Block | undefined
  let deadline: ReturnType<typeof setTimeout> | undefined
  let over = false

  const end = (reason: string): void => {
    if (over) return
    over = true
    clearTimeout(deadline)
    // Some browsers report "denied" although they would allow the connection. The report counts only if the attempt failed.
    if (block?.state === "blocked" && offer === undefined) status.next(block)
    options.ended(reason)
  }
  const asked = (found: Block): void => {
    block = found
    if (found.state === "asking") status.next(found)
  }
  const said = (frame: Readonly<Record<string, unknown>>): void => {
    if (over || bridge === undefined) return
    clearTimeout(deadline)
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
    // With a function as `token`, another attempt may succeed: it gets a fresh ticket.
    if (code !== "unauthorized" || typeof options.token !== "function") status.next({ state: "refused", code, reason })
  }

  const giveUp = (): void => {
    const reason = `the host did not answer within ${ANSWER_MS / 1_000} s`
    end(reason)
    bridge?.wire.close(reason)
  }

  return {
    async start() {
      try {
        const channel = await openChannel(options, asked)
        if (over) return channel.close()
        // While the browser asks the person, the connection waits for them.
        if (block?.state !== "asking") deadline = setTimeout(giveUp, ANSWER_MS)
        bridge = partChannel(channel, { said, closed: end })
        bridge.say({ t: "page", app, ...tab.describe() })
      } catch (thrown) {
        const reason = toMessage(thrown)
        if (thrown instanceof OptionError) status.next({ state: "refused", code: "invalid_option", reason })
        end(reason)
      }
    },
    focus() {
      const { title, focused } = tab.describe()
      if (!over) bridge?.say({ t: "focus", title, focused })
    },
    leave() {
      if (over) return
      over = true
      clearTimeout(deadline)
      bridge?.say({ t: "leave" })
      offer?.close("the page was unloaded")
      bridge?.wire.close("the page was unloaded")
    },
  }
}

/** How long an open channel may stay without an answer from the host. */
const ANSWER_MS = 20_000

/** Twice the time that a host lets a page be silent, because background pages have slow timers. */
const SILENT_MS = 30_000
