import type { AdapterEvent, Diagnostic, McpAdapter } from "@x/mcp-adapter"
import type { Notice, View } from "@x/mcp-adapter/binding"
import { type Observable, Subject, Subscription } from "rxjs"
import { toShows, type WatchOptions } from "../live-view-options.js"
import { type BuiltIns, createBuiltIns } from "./built-ins.js"
import { createCallLog, type NotedCall } from "./call-log.js"
import type { ClientsFrame, Frame, NoteFrame, NoticeFrame, StartFrame } from "./frame.js"
import { createListLog } from "./list-log.js"
import { toClientRow } from "./rows.js"
import { createScope } from "./scope.js"
import { GLANCE, type Room } from "./take-json.js"
import { createTaskWatch } from "./task-watch.js"

/** Watches one view of an adapter and emits its events as frames. */
export interface AdapterWatch {
  /** Resolves once the first list is ready. */
  readonly ready: Promise<void>
  /** Reads the complete state, the base of the next {@link AdapterWatch.frames}. */
  start(): StartFrame
  /** Emits batches of frames. Hot; completes when the adapter or the watch is closed. */
  readonly frames: Observable<readonly Frame[]>
  /** The built-in tools that are listed now. */
  readonly builtIns: Pick<BuiltIns, "of" | "items">
  /** Stops watching; idempotent. */
  close(): void
}

/** Options of watching an adapter. */
export interface FollowOptions extends WatchOptions {
  /**
   * The shortest time between two batches, in milliseconds. Events in between are merged. 0 emits each event at once, by
   * itself. Default 100.
   */
  readonly windowMs?: number
  /** The size limit of each value. Default: the limit for display. */
  readonly room?: Room
}

/** The most calls kept, and the most reported at once. */
const CALLS = { kept: 200, most: 100 }
/** The most clients reported. */
const MOST_CLIENTS = 200
/** The most notes and notices reported at once; the newest win. */
const MOST_OTHERS = 50
/** The most events of a batch that are processed as they arrive. Later events are cheaper, since they wait for its end. */
const MOST_AT_ONCE = 50
/** The interval for checking data that a service does not announce, such as a reason, in milliseconds. */
const LOOK_MS = 1_000

/** Starts watching an adapter. Without subscribers, only the newest calls are kept. */
export function watchAdapter(adapter: McpAdapter, options: FollowOptions = {}): AdapterWatch {
  const { principal } = options
  const { view, release } = adapter.core.open(principal)
  const builtIns = createBuiltIns(adapter, principal)
  const site = createSite(adapter, { view, builtIns }, options)
  const frames = new Subject<readonly Frame[]>()
  const follower = createFollower(site, frames)
  const subscription = new Subscription(release)
  subscription.add(builtIns.close)
  subscription.add(adapter.events.subscribe({ next: follower.note, complete: () => frames.complete() }))
  subscription.add(view.notices.subscribe(follower.notice))
  subscription.add(view.settled.subscribe(follower.changed))
  subscription.add(adapter.health.subscribe(follower.look))
  subscription.add(adapter.ledger.open("subscription"))
  subscription.add(follower.close)
  return {
    ready: view.ready(),
    frames,
    builtIns,
    start() {
      follower.flush()
      follower.keepLooking()
      return toStart(adapter, site)
    },
    close() {
      subscription.unsubscribe()
      frames.complete()
    },
  }
}

type Site = ReturnType<typeof createSite>

/** Collects the dependencies of watching. */
function createSite(
  adapter: McpAdapter,
  { view, builtIns }: { readonly view: View; readonly builtIns: BuiltIns },
  { windowMs = 100, room = GLANCE, show, principal }: FollowOptions,
) {
  const { clock, ledger } = adapter.core.host
  const shows = toShows(show)
  const began = clock.now()
  const scope = createScope(view, { shared: adapter.core.shared, principal })
  const lists = createListLog({ view, builtIns: builtIns.names, shows, room, mostValues: 200 })
  return {
    adapter,
    clock,
    windowMs,
    shows,
    principal,
    scope,
    lists,
    now: (): number => Math.round((clock.now() - began) * 100) / 100,
    calls: createCallLog({ view, nameOf: lists.nameOf, shows, room, ...CALLS }),
    clients: (): ClientRows => {
      const all = ledger.listeners().filter(scope.hasClient)
      return { clients: all.slice(0, MOST_CLIENTS).map(toClientRow), more: Math.max(0, all.length - MOST_CLIENTS) }
    },
  }
}

type ClientRows = Pick<ClientsFrame, "clients" | "more">

function toStart({ name, version, instructions }: McpAdapter, site: Site): StartFrame {
  return {
    type: "start",
    at: site.now(),
    time: new Date().toISOString(),
    name,
    version,
    ...(instructions !== undefined && { instructions }),
    ...(site.principal && { principal: site.principal.id }),
    show: site.shows,
    ...site.lists.start(),
    calls: site.calls.newest(),
    clients: site.clients().clients,
  }
}

/** Collects events and emits them in batches. */
function createFollower(site: Site, frames: Subject<readonly Frame[]>) {
  const { clock, windowMs, now } = site
  const intake = createIntake(site)
  const tasks = createTaskWatch(site.adapter, (call, words) => {
    site.calls.progress(call, words, now())
    if (frames.observed) schedule()
  })
  let due: (() => void) | undefined
  let looking: (() => void) | undefined
  const flush = (): void => {
    due?.()
    due = undefined
    const portion = intake.take(frames.observed)
    if (portion.length > 0) frames.next(portion)
  }
  const schedule = (): void => {
    if (windowMs === 0) flush()
    else due ??= clock.after(windowMs, flush)
  }
  const changed = (): void => {
    if (!frames.observed) return
    site.lists.look(now())
    schedule()
  }
  const keepLooking = (): void => {
    looking ??= clock.after(LOOK_MS, () => {
      looking = undefined
      // A new viewer starts with a complete state.
      if (!frames.observed) return
      changed()
      keepLooking()
    })
  }
  return {
    flush,
    changed,
    keepLooking,
    note(event: AdapterEvent): void {
      // Without viewers, skip all work that only they need.
      if (intake.note(event, frames.observed)) schedule()
      if (isOfCall(event) && site.calls.has(event.id)) tasks.note(event)
    },
    notice(notice: Notice): void {
      // Links are reported by the adapter's own events.
      if (!frames.observed || notice.kind === "links") return
      if (notice.kind === "known") site.lists.noteKnown(notice.diff, now())
      intake.other({
        type: "notice",
        at: now(),
        kind: notice.kind,
        ...(notice.kind === "updated" && { uri: notice.uri }),
      })
      schedule()
    },
    look(): void {
      if (frames.observed) schedule()
    },
    close(): void {
      tasks.close()
      due?.()
      looking?.()
    },
  }
}

/** A noted event, not yet processed. Volatile data has been read already. */
type Noted =
  | { readonly of: "call"; readonly call: NotedCall; readonly at: number }
  | { readonly of: "rest"; readonly event: Exclude<AdapterEvent, NotedCall["event"]>; readonly at: number }

/** Collects the view's events since the last batch. */
function createIntake({ windowMs, now, scope, lists, calls, clients }: Site) {
  const others: (NoteFrame | NoticeFrame)[] = []
  let queue: Noted[] = []
  let taken = 0
  let told = ""
  const other = (frame: NoteFrame | NoticeFrame): void => {
    if (others.length < 10 * MOST_OTHERS) others.push(frame)
  }
  const takeIn = (noted: Noted): void => {
    const { at } = noted
    if (noted.of === "call") calls.take(noted.call, at)
    else if (noted.event.type === "changed") lists.note(noted.event.diff, noted.event.revision, at)
    else other({ type: "note", at, ...toWords(noted.event.diagnostic) })
  }
  const isOurs = (event: AdapterEvent): boolean => {
    if (event.type === "changed") return scope.hasChange(event)
    if (event.type !== "diagnostic") return scope.hasCall(event)
    return scope.hasNote(event) && (event.call === undefined || calls.has(event.call))
  }
  const toNoted = (event: AdapterEvent, seen: boolean): Noted =>
    event.type === "changed" || event.type === "diagnostic"
      ? { of: "rest", event, at: now() }
      : { of: "call", call: calls.note(event, seen && taken <= MOST_AT_ONCE), at: now() }
  const takeClients = (at: number): readonly ClientsFrame[] => {
    const rows = clients()
    const text = JSON.stringify(rows)
    if (text === told) return []
    told = text
    return [{ type: "clients", at, ...rows }]
  }
  return {
    other,
    /**
     * Processes an event, or queues it.
     *
     * @param seen - Whether anybody watches. If not, only calls are kept.
     * @returns Whether there is something to report.
     */
    note(event: AdapterEvent, seen: boolean): boolean {
      const isKept = seen || (event.type !== "changed" && event.type !== "diagnostic")
      if (!isKept || !isOurs(event)) return false
      if (seen) taken += 1
      const noted = toNoted(event, seen)
      if (!seen || taken <= MOST_AT_ONCE || windowMs === 0) takeIn(noted)
      else queue.push(noted)
      return seen
    },
    /** @param seen - Whether anybody watches. If not, frames are dropped. */
    take(seen: boolean): readonly Frame[] {
      taken = 0
      const queued = queue
      queue = []
      for (const noted of queued) takeIn(noted)
      const at = now()
      const change = lists.take()
      const { calls: changed, skipped } = calls.takeChanged()
      const rest = others.splice(0).slice(-MOST_OTHERS)
      const listening = takeClients(at)
      if (!seen) return []
      const frames: readonly Frame[] = [
        ...changed,
        ...(change ? [change] : []),
        ...rest,
        ...listening,
        ...(skipped > 0 ? [{ type: "skipped" as const, at, calls: skipped }] : []),
      ]
      return [...frames].sort((one, other) => one.at - other.at)
    },
  }
}

function isOfCall(event: AdapterEvent): event is NotedCall["event"] {
  return event.type !== "changed" && event.type !== "diagnostic"
}

function toWords({ code, message }: Diagnostic): { readonly code: string; readonly message: string } {
  return { code, message: message.slice(0, 500) }
}
