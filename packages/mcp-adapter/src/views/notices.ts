import type { OptionRule } from "@x/tool-schemas/json"
import { type Change, toChange } from "../catalogue/claims.js"
import { addChanges, type Pending } from "../catalogue/diff.js"
import { type StateEntry, samePublished, type TargetsPart, type ToolEntry } from "../catalogue/entry.js"
import { type Cancel, type Host, startTimer } from "../runtime/host.js"

/** When clients are told of changes. */
export interface NoticeOptions {
  /** The least time between two notices of a kind, in milliseconds. Default 50. */
  readonly windowMs: number
  /**
   * How long an action must have been gone before clients are told, in milliseconds: one that is back by then, as it was, was
   * never away for them. Lists show it as it is at any time, and when a client was handed one without it, there is a notice
   * of its return. What comes, or is defined anew, is told as ever. Takes effect where longer than `windowMs`, or where
   * there was no notice shortly before. Default 0.
   */
  readonly flickerMs: number
}

/** The times used where none are given. */
export const defaultNoticeOptions: NoticeOptions = { windowMs: 50, flickerMs: 0 }

/** What each of them may be. */
export const noticeRules: Record<keyof NoticeOptions, OptionRule> = { windowMs: { from: 0 }, flickerMs: { from: 0 } }

/** Tells of a list that is another than the one some reader holds, at most once per notice window. */
export interface ListNotices<Listed> {
  /** Adds changes. */
  add(changes: ReadonlyMap<string, Change<Listed>>): void
  /** Notes that a reader was handed the list as it is now. */
  read(): void
  /** Ends a task: what is due is delivered, now or when the window allows. */
  settle(): void
  /** Ends the wait. */
  close(): void
}

/** What list notices need. */
interface ListNoticesOptions {
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** The least time between two notices, in milliseconds. */
  readonly windowMs: number
  /** How long an entry must have been gone before that is told, in milliseconds. Default 0. */
  readonly flickerMs?: number | undefined
}

/**
 * Nothing to tell yet.
 *
 * A change is measured against every list handed out since the last notice. Those are the one at the last
 * notice, and whatever was read since: as soon as one of the latter differs from the former, whatever comes
 * next differs from one of the two, so a notice is certain.
 *
 * @param deliver - Delivers a notice of the net change since the last one. Must not throw.
 */
export function createListNotices<Listed extends ToolEntry | StateEntry | TargetsPart>(
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
      // Another thing behind an equal definition is no other list.
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

/** The key of {@link TargetsPart} among tools: a name is never empty. */
export const TARGETS = ""

/** The changes of tools alone. */
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
    /** When the first of the changes is due: at once, but for what may be back soon. */
    dueAt(pending: ReadonlyMap<string, Change<unknown>>): number | undefined {
      for (const key of since.keys()) if (!isGone(pending, key)) since.delete(key)
      if (pending.size === 0) return undefined
      if (since.size < pending.size) return Number.NEGATIVE_INFINITY
      return Math.min(...since.values()) + flickerMs
    },
  }
}

/** Spaces notices of one kind: the first at once, the next no sooner than the window allows, the last always. */
interface NoticeWindow {
  /** Delivers what is due now, or as soon as the window allows. */
  settle(): void
  /** Ends the wait; nothing is delivered any more. */
  close(): void
}

/** What a window needs. */
interface NoticeWindowOptions {
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** The least time between two notices, in milliseconds. */
  readonly windowMs: number
  /**
   * When what there is to deliver is due, on the clock; `undefined` where there is nothing. Asked again when the time has
   * come: it may have come to nothing.
   */
  readonly dueAt: () => number | undefined
  /** Delivers it. Must not throw. */
  readonly deliver: () => void
}

/** A window in which nothing has been delivered. */
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
