import type { Progress } from "@x/agentic-service"

/** What a caller hears of a running call: the action's own progress, and signs of life between. */
export interface ProgressLine {
  /** Takes the action's own progress; what does not grow, is no number or comes too late is dropped. Never throws. */
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

/**
 * Merges both into one line that only grows, as MCP demands of each token.
 *
 * @param send - Reaches the caller; absent where the caller did not ask for progress.
 */
export function createProgressLine(send: ((progress: Progress) => void) | undefined): ProgressLine {
  let open = true
  let own: Progress | undefined
  let last = NOTHING

  const tell = (progress: Progress): void => {
    if (!Number.isFinite(progress.progress)) return
    last = progress.progress
    try {
      send?.(progress)
    } catch {
      // A caller who cannot be reached is no reason for the action to fail.
    }
  }
  return {
    report(progress) {
      if (!open || !Number.isFinite(progress.progress) || progress.progress <= (own?.progress ?? NOTHING)) return
      own = progress
      tell({ ...progress, progress: Math.max(progress.progress, last === NOTHING ? NOTHING : next(last)) })
    },
    beat() {
      if (open) tell({ ...own, progress: next(last) })
    },
    close() {
      open = false
    },
  }
}

/** A number just above: a step more, or the next one there is where a step is too small to count. */
function next(last: number): number {
  if (last === NOTHING) return STEP
  return Math.max(last + STEP, last + Math.abs(last) * Number.EPSILON * 2)
}
