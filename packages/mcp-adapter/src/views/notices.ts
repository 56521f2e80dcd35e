import type { OptionRule } from "@x/base"
import { type Change, toChange } from "../catalogue/claims.js"
import { addChanges, type Pending } from "../catalogue/diff.js"
import { type Entry, samePublished, type TargetsPart, type ToolEntry } from "../catalogue/entry.js"
import { type Cancel, type Host, startTimer } from "../runtime/host.js"

/** Timing of notices to clients. */
export interface NoticeOptions {
  /** The minimum of milliseconds between two notices of a kind. Default 50. */
  readonly windowMs: number
  /**
   * Milliseconds that an action must be gone before clients get a notice. An action that returns unchanged within that time
   * causes no notice. Lists always show the truth; a client that received a list without the action gets a notice of its
   * return. New and redefined actions are announced as usual. Takes effect when longer than `windowMs`, or when no notice was
   * sent shortly before. Default 0.
   */
  readonly flickerMs: number
}

/** The default timing. */
export const defaultNoticeOptions: NoticeOptions = { windowMs: 50, flickerMs: 0 }

/** Rules for the timing. */
export const noticeRules: Record<keyof NoticeOptions, OptionRule> = { windowMs: { from: 0 }, flickerMs: { from: 0 } }

/** Announces a list that differs from some reader's, at most once per notice window. */
export interface ListNotices<Listed> {
  /** Adds changes. */
  add(changes: ReadonlyMap<string, Change<Listed>>): void
  /** Records that a reader received the current list. */
  read(): void
  /** Ends a task: due notices are delivered, now or when the window allows. */
  settle(): void
  /** Stops waiting. */
  close(): void
}

/** Options of list notices. */
interface ListNoticesOptions {
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** The minimum of milliseconds between two notices. */
  readonly windowMs: number
  /** Milliseconds that an entry must be gone before a notice. Default 0. */
  readonly flickerMs?: number | undefined
}

/**
 * Creates list notices.
 *
 * A change is compared with every list handed out since the last notice: that notice's own, and every later one. As soon as a
 * later list differs from that notice's, any further list differs from one of the two, so a notice is certain.
 *
 * @param deliver - Delivers a notice of the net change since the last one. Must not throw.
 */
export function createListNotices<Listed extends Entry | TargetsPart>(
  options: ListNoticesOptions,
  deliver: (changes: ReadonlyMap<string, Change<Listed>>) => void,
): ListNotices<Listed> {
  let pending: Pending<Listed> = new Map()
  let certain = false
  const gone = createGone(options)
  const window = createNoticeWindow({
    ...options,
    dueAt: () => (certain ? Number.NEGATIVE_INFINITY : gone.dueAt(pending)),
    deliver() {
      const taken = pending
      pending = new Map()
      certain = false
      deliver(taken)
    },
  })
  return {
    add(changes) {
      // A replaced instance with an equal definition leaves the list equal.
      addChanges(pending, changes, samePublished)
      gone.note(pending, changes.keys())
    },
    read() {
      if (pending.size > 0) certain = true
    },
    settle: window.settle,
    close: window.close,
  }
}

/** The key of {@link TargetsPart} among tools, whose names are never empty. */
export const TARGETS = ""

/** Returns the changes without targets. */
export function toTools(
  changes: ReadonlyMap<string, Change<ToolEntry | TargetsPart>>,
): ReadonlyMap<string, Change<ToolEntry>> {
  const toTool = (part: ToolEntry | TargetsPart | undefined) => (part?.kind === "tool" ? part : undefined)
  const tools = [...changes].filter(([key]) => key !== TARGETS)
  return new Map(tools.map(([key, { before, after }]) => [key, toChange(toTool(before), toTool(after))]))
}

/** Remembers since when entries have been gone. */
function createGone({ host, flickerMs = 0 }: Pick<ListNoticesOptions, "host" | "flickerMs">) {
  const since = new Map<string, number>()
  const isGone = (pending: ReadonlyMap<string, Change<unknown>>, key: string): boolean => {
    const change = pending.get(key)
    return change !== undefined && change.after === undefined
  }
  return {
    note(pending: ReadonlyMap<string, Change<unknown>>, keys: Iterable<string>): void {
      if (flickerMs === 0) return
      for (const key of keys) {
        if (!isGone(pending, key)) since.delete(key)
        else if (!since.has(key)) since.set(key, host.clock.now())
      }
    },
    /** Returns when the first change is due: immediately, except for entries that may soon return. */
    dueAt(pending: ReadonlyMap<string, Change<unknown>>): number | undefined {
      for (const key of since.keys()) if (!isGone(pending, key)) since.delete(key)
      if (pending.size === 0) return undefined
      if (since.size < pending.size) return Number.NEGATIVE_INFINITY
      return Math.min(...since.values()) + flickerMs
    },
  }
}

/** Spaces notices of one kind: the first immediately, the next after the window, and the last always. */
interface NoticeWindow {
  /** Delivers due notices, now or as soon as the window allows. */
  settle(): void
  /** Stops waiting and delivers no more. */
  close(): void
}

/** Options of a window. */
interface NoticeWindowOptions {
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** The minimum of milliseconds between two notices. */
  readonly windowMs: number
  /**
   * Returns when the pending notice is due, on the clock, or `undefined` without one. Called again at that time, because the
   * change may have been undone.
   */
  readonly dueAt: () => number | undefined
  /** Delivers the notice. Must not throw. */
  readonly deliver: () => void
}

/** Creates a window. */
function createNoticeWindow({ host, windowMs, dueAt, deliver }: NoticeWindowOptions): NoticeWindow {
  const { clock } = host
  let last = Number.NEGATIVE_INFINITY
  let waiting: { readonly until: number; readonly cancel: Cancel } | undefined

  const deliverNow = (): void => {
    last = clock.now()
    deliver()
  }
  const stop = (): void => {
    waiting?.cancel()
    waiting = undefined
  }
  const wait = (until: number): void => {
    const cancel = startTimer(host, until - clock.now(), () => {
      waiting = undefined
      settle()
    })
    waiting = { until, cancel }
  }
  const settle = (): void => {
    const due = dueAt()
    if (due === undefined) return
    const at = Math.max(due, last + windowMs)
    if (waiting !== undefined && waiting.until <= at) return
    stop()
    if (at <= clock.now()) deliverNow()
    else wait(at)
  }
  return { settle, close: stop }
}
