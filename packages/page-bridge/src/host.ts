import type { AgenticService, Principal } from "@x/agentic-service"
import { withDefaults } from "@x/base"
import type { Channel } from "@x/service-wire"
import { BehaviorSubject, defer, type Observable } from "rxjs"
import {
  type BridgeChannel,
  type PageFrame,
  partChannel,
  type RefusalCode,
  readPage,
  toTitle,
} from "./bridge-frames.js"
import { BridgeError, type BridgeErrorCode, checkOptions } from "./host/bridge-error.js"
import type { ConnectedTab } from "./host/page-apps.js"
import { createPageGroup, type PageGroup } from "./host/page-group.js"
import {
  defaultPageLimits,
  type Joined,
  type PageHostOptions,
  type PageLimits,
  type PageTab,
  pageHostRules,
  type Refusal,
  toSettings,
  type Visitor,
} from "./host/page-options.js"

export type { BridgeErrorCode, ConnectedTab, PageHostOptions, PageLimits, RefusalCode, Visitor }
export { BridgeError, defaultPageLimits }

/** Accepts pages over any channel, and gives each principal the applications of its own pages. */
export interface PageHost {
  /** The pages without a principal: a service with a link per application, or the single application of the option `app`. */
  readonly service: AgenticService
  /** Returns one principal's pages as a service with a link per application. The object stays the same while it is in use. */
  of(principal: Principal | undefined): AgenticService
  /** The connected tabs and their changes. */
  readonly tabs: Observable<readonly ConnectedTab[]>
  /** Accepts an admitted page. The caller has determined its origin and principal, not the page. */
  accept(channel: Channel, visitor: Visitor): void
  /** Says goodbye to all pages; idempotent. */
  close(): void
}

/**
 * Creates a host for pages that connect over any channel, such as a WebSocket server (`acceptPages` of `@x/page-bridge/node`)
 * or a bundler's hot channel. Check who may connect before you call `accept`.
 *
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createPageHost } from "@x/page-bridge/host"
 * import { fromMessagePort } from "@x/service-wire/message-port"
 *
 * const host = createPageHost({ app: "board" })
 * const adapter = createMcpAdapter(host.service)
 * const { port1, port2 } = new MessageChannel()
 * host.accept(fromMessagePort(port1), { origin: "app://board" })
 * // In the page: connectPage(board, { open: () => fromMessagePort(port2) })
 * host.tabs.subscribe((tabs) => console.log(tabs.length)) // 0, then 1 once the page has said which application it is
 * adapter.close()
 * host.close()
 * port2.close()
 * ```
 */
export function createPageHost(options: PageHostOptions = {}): PageHost {
  checkOptions(options, pageHostRules)
  const limits = withDefaults(defaultPageLimits, options.limits)
  const settings = toSettings(options, limits)
  const groups = new Map<string, PageGroup>()
  const tabs = new BehaviorSubject<readonly ConnectedTab[]>([])
  // Reporting all tabs costs time for each of them, so changes are reported at a limited pace.
  const told = createPace(limits.paceMs, () => tabs.next([...groups.values()].flatMap((each) => each.tabs())))
  const visitors = createVisitors(limits)
  let closed = false

  const groupOf = (principal: Principal | undefined): PageGroup => {
    const id = principal === undefined ? "" : `=${principal.id}`
    const known = groups.get(id)
    if (known !== undefined) return known
    const group = createPageGroup({
      settings,
      principal,
      limits,
      changed: told.note,
      idle: () => groups.get(id) === group && groups.delete(id),
    })
    groups.set(id, group)
    return group
  }

  return {
    service: groupOf(undefined).service,
    of: (principal) => groupOf(principal).service,
    // New subscribers get the current tabs.
    tabs: defer(() => {
      told.flush()
      return tabs
    }),
    accept(channel, visitor) {
      const { refusal, left } = closed ? { refusal: "the host is closed", left() {} } : visitors.enter(visitor)
      const greet = (page: PageFrame): Joined | Refusal =>
        refusal === undefined ? groupOf(visitor.principal).join(page, visitor) : { code: "limit", reason: refusal }
      greetPage(channel, greet, left)
    },
    close() {
      closed = true
      for (const group of groups.values()) group.close()
      groups.clear()
      told.stop()
      tabs.complete()
    },
  }
}

/** Counts pages per principal and in total, including those that have not introduced themselves yet. */
function createVisitors({ pages, perPrincipal }: PageLimits) {
  const own = new Map<string, number>()
  let all = 0
  return {
    /** @returns A reason if the limit is reached, and a function to call when the page has left. */
    enter({ principal }: Visitor): { readonly refusal: string | undefined; readonly left: () => void } {
      const key = principal?.id
      const count = key === undefined ? 0 : (own.get(key) ?? 0)
      if (count >= perPrincipal)
        return {
          refusal: `your limit of ${perPrincipal} open pages is reached: close one, then reload this page`,
          left() {},
        }
      if (all >= pages) return { refusal: "the host's limit of connected pages is reached: try again later", left() {} }
      const step = (by: 1 | -1): void => {
        all += by
        if (key === undefined) return
        const now = (own.get(key) ?? 0) + by
        if (now > 0) own.set(key, now)
        else own.delete(key)
      }
      step(1)
      return { refusal: undefined, left: () => step(-1) }
    },
  }
}

/** Creates a notifier that fires at once, and after that at most once per interval. */
function createPace(ms: number, tell: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let again = false
  const lapsed = (): void => {
    timer = undefined
    if (again) note()
  }
  function note(): void {
    again = timer !== undefined
    if (again) return
    timer = setTimeout(lapsed, ms)
    tell()
  }
  const flush = (): void => {
    if (!again) return
    again = false
    tell()
  }
  return { note, flush, stop: () => clearTimeout(timer) }
}

/** Waits for the page's description and lets it begin, or rejects it. */
function greetPage(channel: Channel, greet: (page: PageFrame) => Joined | Refusal, left: () => void): void {
  let tab: PageTab | undefined
  let gone = false
  const refuse = (bridge: BridgeChannel, { code, reason }: Refusal): void => {
    bridge.say({ t: "refused", code, reason })
    bridge.wire.close(reason)
  }
  const begin = (said: Readonly<Record<string, unknown>>): void => {
    const page = readPage(said)
    const came = page === undefined ? malformed : greet(page)
    if ("code" in came) refuse(bridge, came)
    else {
      bridge.say({ t: "welcome", tab: came.tab })
      tab = came.begin(bridge.wire)
    }
  }
  const bridge = partChannel(channel, {
    said(frame) {
      if (gone) return
      if (tab === undefined) begin(frame)
      else if (frame["t"] === "focus") tab.focus(frame["focused"] === true, toTitle(frame["title"]))
    },
    closed() {
      clearTimeout(timer)
      if (!gone) left()
      gone = true
    },
  })
  const timer = setTimeout(() => {
    if (tab === undefined) refuse(bridge, { code: "malformed", reason: "the page did not introduce itself in time" })
  }, GREETING_MS)
}

const GREETING_MS = 10_000
const malformed: Refusal = {
  code: "malformed",
  reason: "found an invalid page description, expected app, tab and load as strings of 1 to 100 characters",
}
