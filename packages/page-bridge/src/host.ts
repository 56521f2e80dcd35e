import type { AgenticService, Principal } from "@x/agentic-service"
import type { Channel } from "@x/service-wire"
import { withDefaults } from "@x/tool-schemas/json"
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

/** Takes pages in, whatever they come over, and shows each principal the applications of its own pages. */
export interface PageHost {
  /** The pages of everybody without a principal: a service whose links are the applications, or the one of the option `app`. */
  readonly service: AgenticService
  /** The pages of one principal, as a service whose links are its applications; the same one each time, for as long as it is used. */
  of(principal: Principal | undefined): AgenticService
  /** The tabs that are connected, now and whenever they are others. */
  readonly tabs: Observable<readonly ConnectedTab[]>
  /** Takes a page in that was admitted: who it belongs to and where it is from is not what it says of itself. */
  accept(channel: Channel, visitor: Visitor): void
  /** Says goodbye to all pages; idempotent. */
  close(): void
}

/**
 * Makes a host of pages that come over any channel: a WebSocket server is one (`acceptPages` of `@x/page-bridge/node`), the hot
 * channel of a bundler another. Whoever calls `accept` has checked who may.
 */
export function createPageHost(options: PageHostOptions = {}): PageHost {
  checkOptions(options, pageHostRules)
  const limits = withDefaults(defaultPageLimits, options.limits)
  const settings = toSettings(options, limits)
  const groups = new Map<string, PageGroup>()
  const tabs = new BehaviorSubject<readonly ConnectedTab[]>([])
  // What a page says of itself costs what all of them cost: however often it does, that is told at a pace.
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
    // Whoever looks now is told what is so now.
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

/** How many there are: of each principal, and in all. One that has not said yet who it is counts, too. */
function createVisitors({ pages, perPrincipal }: PageLimits) {
  const own = new Map<string, number>()
  let all = 0
  return {
    /** @returns Why there is no room, where that is so; and what to call when the page has left. */
    enter({ principal }: Visitor): { readonly refusal: string | undefined; readonly left: () => void } {
      const key = principal?.id
      const count = key === undefined ? 0 : (own.get(key) ?? 0)
      if (count >= perPrincipal) return { refusal: `more than ${perPrincipal} pages of yours are open`, left() {} }
      if (all >= pages) return { refusal: "too many pages are connected", left() {} }
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

/** Tells of something at once, and then at most once in so many milliseconds. */
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

/** Hears who a page says it is, and lets it begin. */
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
    if (tab === undefined) refuse(bridge, { code: "malformed", reason: "the page did not say which it is in time" })
  }, GREETING_MS)
}

const GREETING_MS = 10_000
const malformed: Refusal = { code: "malformed", reason: "the page says of itself what cannot be read" }
