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

/** Follows one view of an adapter, and tells what happens in it in frames. */
export interface AdapterWatch {
  /** Resolves once there is a first list. */
  readonly ready: Promise<void>
  /** Reads how everything is now: what the next {@link AdapterWatch.frames} go on from. */
  start(): StartFrame
  /** What happens, some frames at a time. Hot; completes when the adapter is closed, or the watch. */
  readonly frames: Observable<readonly Frame[]>
  /** The tools of the adapter's own, as they are listed now. */
  readonly builtIns: Pick<BuiltIns, "of">
  /** Lets go of the adapter; idempotent. */
  close(): void
}

/** How an adapter is followed. */
export interface FollowOptions extends WatchOptions {
  /**
   * The least time between two portions, in milliseconds; what happens in between is told as one. 0 tells everything at once,
   * as it happens, each by itself. Default 100.
   */
  readonly windowMs?: number
  /** How much of each value is taken. Default: enough for a look. */
  readonly room?: Room
}

/** How many calls are kept, and told at once. */
const CALLS = { kept: 200, most: 100 }
/** How many clients are told of. */
const MOST_CLIENTS = 200
/** How many notes and notices are told at once; of more, the newest. */
const MOST_OTHERS = 50
/** How many events of a window are taken in as they come. Those after them are when it ends, which costs less. */
const MOST_AT_ONCE = 50
/** How often, in milliseconds, what a service says without telling of it is looked at, such as a reason. */
const LOOK_MS = 1_000

/** Begins to follow an adapter. While nobody listens to the frames, only the newest calls are kept. */
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

/** What following takes. */
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

/** Takes what happens, and tells it in portions. */
function createFollower(site: Site, frames: Subject<readonly Frame[]>) {
  const { clock, windowMs, now } = site
  const intake = createIntake(site)
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
      // Whoever begins to look again starts anew.
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
      // While nobody looks, nothing is worked out that only a looker needs.
      if (intake.note(event, frames.observed)) schedule()
    },
    notice(notice: Notice): void {
      if (!frames.observed) return
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
      due?.()
      looking?.()
    },
  }
}

/** What has come and is not taken in yet: what had to be read at once has been. */
type Noted =
  | { readonly of: "call"; readonly call: NotedCall; readonly at: number }
  | { readonly of: "rest"; readonly event: Exclude<AdapterEvent, NotedCall["event"]>; readonly at: number }

/** Keeps what happened in the view since the last portion. */
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
     * Takes an event in, or keeps it for later.
     *
     * @param seen - Whether anybody looks: else nothing but calls is kept.
     * @returns Whether there is something to tell.
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
    /** @param seen - Whether anybody looks; what nobody sees is dropped. */
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

function toWords({ code, message }: Diagnostic): { readonly code: string; readonly message: string } {
  return { code, message: message.slice(0, 500) }
}
