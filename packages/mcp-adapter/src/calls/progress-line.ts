import type { Progress } from "@x/agentic-service"
import { type Cancel, type Host, startTimer } from "../runtime/host.js"

/** The progress messages of a running call: the action's own, and signs of life between them. */
export interface ProgressLine {
  /**
   * Sends the action's own progress. Values that do not grow, are no numbers or come too late are dropped. Text that comes in
   * time is never dropped: if messages are merged, their texts are joined. Never throws.
   */
  report(progress: Progress): void
  /** Tells the caller that the call continues. */
  beat(): void
  /** Stops all messages: MCP allows no progress after the answer (2026-07-28, basic/patterns/progress). */
  close(): void
}

/** The increment of a sign of life, too small for any display. */
const STEP = 1e-6

/** The value before the first message, below every progress. */
const NOTHING = Number.NEGATIVE_INFINITY

/** Milliseconds between messages of a call that floods. */
const PACE = 100

/** Milliseconds within which messages are merged at any pace. */
const BEAT = 20

/** The most messages at full speed before a call counts as flooding; one is earned back per {@link PACE}. */
const BURST = 10

/** Options of the progress messages of a call. */
export interface ProgressLineOptions {
  /** Sends a message to the caller. */
  readonly send: (progress: Progress) => void
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/**
 * Creates one line of messages that only grows, as MCP requires of each token. Progress at a person's pace is sent immediately.
 * Simultaneous messages are merged, and so is a flood, of which the caller gets one message per 100 ms (2026-07-28,
 * basic/patterns/progress: SHOULD be limited): the newest, at the end of the interval or before the answer.
 */
export function createProgressLine({ send, host }: ProgressLineOptions): ProgressLine {
  let open = true
  /** The newest growing progress of the action, without its text. Signs of life repeat it. */
  let own: Progress | undefined
  let last = NOTHING
  const pace = createPace(host, (progress) => {
    try {
      send(progress)
    } catch {
      // A caller that cannot be reached must not fail the action.
    }
  })

  const tell = (progress: Progress): void => {
    if (!Number.isFinite(progress.progress)) return
    last = progress.progress
    pace.tell(progress)
  }
  return {
    report(progress) {
      const { text, ...told } = progress
      const grows = isFurther(told, own)
      // Pieces of text are never dropped, so one without growth is sent as a step.
      if (!open || (!grows && text === undefined)) return
      if (grows) own = told
      tell({ ...progress, progress: grows ? Math.max(told.progress, above(last)) : next(last) })
    },
    beat() {
      if (open) tell({ ...own, progress: next(last) })
    },
    close() {
      open = false
      pace.end()
    },
  }
}

/** Sends one message immediately, then one per interval: the newest, with the text of those before it. */
interface Pace {
  tell(progress: Progress): void
  /** Sends the waiting message. */
  end(): void
}

function createPace(host: ProgressLineOptions["host"], out: (told: Progress) => void): Pace {
  let waiting: Progress | undefined
  let stop: Cancel | undefined
  let credit = BURST
  let earned = host.clock.now()
  const flush = (): void => {
    if (waiting === undefined) return
    const told = waiting
    waiting = undefined
    credit -= 1
    out(told)
  }
  const earn = (): void => {
    const more = Math.floor((host.clock.now() - earned) / PACE)
    earned += more * PACE
    credit = Math.min(BURST, credit + more)
  }
  const rest = (): void => {
    earn()
    stop = startTimer(host, credit > 1 ? BEAT : PACE, () => {
      stop = undefined
      if (waiting !== undefined) rest()
      flush()
    })
  }
  return {
    tell(progress) {
      waiting = merge(waiting, progress)
      if (stop !== undefined) return
      rest()
      flush()
    },
    end() {
      stop?.()
      stop = undefined
      flush()
    },
  }
}

function merge(earlier: Progress | undefined, progress: Progress): Progress {
  if (earlier?.text === undefined) return progress
  return { ...progress, text: earlier.text + (progress.text ?? "") }
}

function isFurther({ progress }: Progress, than: Progress | undefined): boolean {
  return Number.isFinite(progress) && progress > (than?.progress ?? NOTHING)
}

/** Returns the least progress allowed next. An action's first progress may have any value. */
function above(last: number): number {
  return last === NOTHING ? NOTHING : next(last)
}

/** Returns the next number above: one step, or the next representable number if a step is too small. */
function next(last: number): number {
  if (last === NOTHING) return STEP
  return Math.max(last + STEP, last + Math.abs(last) * Number.EPSILON * 2)
}
