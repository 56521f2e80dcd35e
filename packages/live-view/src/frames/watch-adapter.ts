import type { AdapterEvent, Diagnostic, McpAdapter } from "@x/mcp-adapter"
import type { ChangedEvent, Notice, ToolDefinition, View } from "@x/mcp-adapter/binding"
import { type Observable, Subject, Subscription } from "rxjs"
import { toShows, type WatchOptions } from "../live-view-options.js"
import { type BuiltIns, readBuiltIns } from "./built-ins.js"
import { createCallLog } from "./call-log.js"
import type { ClientsFrame, Frame, NoteFrame, NoticeFrame, StartFrame } from "./frame.js"
import { createListLog } from "./list-log.js"
import { toClientRow } from "./rows.js"
import { GLANCE, type Room } from "./take-json.js"

/** Follows an adapter, and tells what happens in frames. */
export interface AdapterWatch {
  /** Resolves once there is a first list. */
  readonly ready: Promise<void>
  /** How everything is now: what the next {@link AdapterWatch.frames} go on from. */
  start(): StartFrame
  /** What happens, some frames at a time. Hot; completes when the adapter is closed, or the watch. */
  readonly frames: Observable<readonly Frame[]>
  /** The tools of the adapter's own; empty before it is ready. */
  builtIns(): BuiltIns
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

/** Begins to follow an adapter. While nobody listens to the frames, only the newest calls are kept. */
export function watchAdapter(adapter: McpAdapter, options: FollowOptions = {}): AdapterWatch {
  const { principal } = options
  const { view, release } = adapter.core.open(principal)
  const site = createSite(adapter, view, options)
  const frames = new Subject<readonly Frame[]>()
  const follower = createFollower(site, frames)
  const subscription = new Subscription(release)
  subscription.add(adapter.events.subscribe({ next: follower.note, complete: () => frames.complete() }))
  subscription.add(view.notices.subscribe(follower.notice))
  subscription.add(adapter.health.subscribe(follower.look))
  subscription.add(adapter.ledger.open("subscription"))
  subscription.add(follower.close)
  let builtIns: BuiltIns = { dynamic: [], stable: [], meta: [] }
  return {
    ready: view.ready().then(async () => {
      builtIns = await readBuiltIns(adapter, principal)
    }),
    frames,
    builtIns: () => builtIns,
    start() {
      follower.flush()
      return { ...toStart(adapter, site), builtIns: toNames(builtIns) }
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
  view: View,
  { windowMs = 100, room = GLANCE, show, principal }: FollowOptions,
) {
  const { clock, ledger } = adapter.core.host
  const shows = toShows(show)
  const began = clock.now()
  const whose = adapter.core.shared ? undefined : principal?.id
  return {
    clock,
    windowMs,
    shows,
    now: (): number => Math.round((clock.now() - began) * 100) / 100,
    lists: createListLog({ view, shows, room, mostValues: 200 }),
    calls: createCallLog({ shows, room, ...CALLS }),
    clients: (): ClientRows => {
      const all = ledger.listeners()
      return { clients: all.slice(0, MOST_CLIENTS).map(toClientRow), more: Math.max(0, all.length - MOST_CLIENTS) }
    },
    concerns: (event: ChangedEvent): boolean => event.principal?.id === whose,
  }
}

type ClientRows = Pick<ClientsFrame, "clients" | "more">

function toStart({ name, version, instructions }: McpAdapter, site: Site): Omit<StartFrame, "builtIns"> {
  return {
    type: "start",
    at: site.now(),
    time: new Date().toISOString(),
    name,
    version,
    ...(instructions !== undefined && { instructions }),
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
  return {
    flush,
    note(event: AdapterEvent): void {
      // While nobody looks, nothing is worked out that only a looker needs.
      if (frames.observed) {
        intake.note(event)
        schedule()
      } else intake.noteUnseen(event)
    },
    notice(notice: Notice): void {
      if (!frames.observed) return
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
    close: (): void => due?.(),
  }
}

/** Keeps what happened since the last portion. */
function createIntake({ windowMs, now, lists, calls, clients, concerns }: Site) {
  const others: (NoteFrame | NoticeFrame)[] = []
  let queue: { readonly event: AdapterEvent; readonly at: number }[] = []
  let taken = 0
  let told = ""
  const other = (frame: NoteFrame | NoticeFrame): void => {
    if (others.length < 10 * MOST_OTHERS) others.push(frame)
  }
  const takeIn = (event: AdapterEvent, at: number): void => {
    if (event.type === "diagnostic") other({ type: "note", at, ...toWords(event.diagnostic) })
    else if (event.type === "call-caught-up") return
    else if (event.type !== "changed") calls.note(event, at)
    else if (concerns(event)) {
      if (calls.waits(at)) calls.attribute(event.diff, at)
      lists.note(event.diff, event.revision, at)
    }
  }
  const takeClients = (at: number): readonly ClientsFrame[] => {
    const rows = clients()
    const text = JSON.stringify(rows)
    if (text === told) return []
    told = text
    return [{ type: "clients", at, ...rows }]
  }
  return {
    other,
    note(event: AdapterEvent): void {
      taken += 1
      if (taken <= MOST_AT_ONCE || windowMs === 0) takeIn(event, now())
      else queue.push({ event, at: now() })
    },
    noteUnseen(event: AdapterEvent): void {
      if (event.type !== "changed" && event.type !== "diagnostic" && event.type !== "call-caught-up")
        calls.note(event, now())
    },
    /** @param seen - Whether anybody looks; what nobody sees is dropped. */
    take(seen: boolean): readonly Frame[] {
      taken = 0
      const queued = queue
      queue = []
      for (const { event, at } of queued) takeIn(event, at)
      const at = now()
      const change = lists.take()
      const { calls: changed, skipped } = calls.take()
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

function toNames(builtIns: BuiltIns): StartFrame["builtIns"] {
  const { dynamic, stable, meta } = builtIns
  const names = (tools: readonly ToolDefinition[]): readonly string[] => tools.map(({ name }) => name)
  return { dynamic: names(dynamic), stable: names(stable), meta: names(meta) }
}
