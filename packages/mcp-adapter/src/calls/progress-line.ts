import type { Progress } from "@x/agentic-service"
import { type Cancel, type Host, startTimer } from "../runtime/host.js"

/** What a caller hears of a running call: the action's own progress, and signs of life between. */
export interface ProgressLine {
  /**
   * Takes the action's own progress; what does not grow, is no number or comes too late is dropped, but never a piece of
   * text that comes in time: whatever is told less often than it is reported carries the pieces in between, put together.
   * Never throws.
   */
  report(progress: Progress): void
  /** Tells the caller that the call goes on. */
  beat(): void
  /** Lets nothing through any more: MCP allows no progress after the answer (2026-07-28, basic/patterns/progress). */
  close(): void
}

/** A step that no display shows, by which a sign of life grows. */
const STEP = 1e-6

/** Below every progress: nothing has been told. */
const NOTHING = Number.NEGATIVE_INFINITY

/** How often a caller hears of a call that floods: once in so many milliseconds. */
const PACE = 100

/** What comes within so many milliseconds comes at once, and is put together whatever the pace. */
const BEAT = 20

/** How often a caller hears as fast as that before it is a flood; once more for each {@link PACE} that has passed. */
const BURST = 10

/** What a line needs. */
export interface ProgressLineOptions {
  /** Reaches the caller. */
  readonly send: (progress: Progress) => void
  /** Time, what is held, and who is told. */
  readonly host: Host
}

/**
 * Merges both into one line that only grows, as MCP demands of each token. What comes at a person's pace is told as it comes;
 * what comes at once is put together, and so is a flood, of which the caller is told every 100 ms (2026-07-28,
 * basic/patterns/progress: SHOULD be limited): the newest goes out when the time is over, or before the answer.
 */
export function createProgressLine({ send, host }: ProgressLineOptions): ProgressLine {
  let open = true
  /** The newest of the action's own that grew, without its text: a sign of life repeats it. */
  let own: Progress | undefined
  let last = NOTHING
  const pace = createPace(host, (progress) => {
    try {
      send(progress)
    } catch {
      // A caller who cannot be reached is no reason for the action to fail.
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
      // Pieces of a text are never left out, so one whose progress does not grow is told as a step.
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

/** Lets one through at once, then one at a time, each the newest with the text of those before it. */
interface Pace {
  tell(progress: Progress): void
  /** Tells what waits. */
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

/** The least that may be told next; the first own progress may be anything. */
function above(last: number): number {
  return last === NOTHING ? NOTHING : next(last)
}

/** A number just above: a step more, or the next one there is where a step is too small to count. */
function next(last: number): number {
  if (last === NOTHING) return STEP
  return Math.max(last + STEP, last + Math.abs(last) * Number.EPSILON * 2)
}
