import type { Progress } from "@x/agentic-service"
import { createDeferred } from "@x/base"
import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
import type { RunNotes } from "../run-call.js"

/** The newest progress of a long call, before and after it is handed over. */
export interface ProgressNote {
  /** Returns the newest progress in words. */
  words(): string | undefined
  /** Hears of the action's progress, and whether it says that it takes long. */
  readonly notes: RunNotes
  /** Resolves once the action has said that it takes long. */
  readonly takesLong: Promise<void>
  /** Sets the function that is called after each progress. */
  onChange(changed: () => void): void
}

/** Creates the note of one call's progress. */
export function createProgressNote(): ProgressNote {
  let words: string | undefined
  let changed = (): void => undefined
  const long = createDeferred<void>()
  return {
    words: () => words,
    takesLong: long.promise,
    onChange(next) {
      changed = next
    },
    notes: {
      takesLong: () => long.resolve(),
      progress(told) {
        words = toWords(told) ?? words
        changed()
      },
    },
  }
}

/** Formats progress for people and models: `3/10 rows written`. */
function toWords({ progress, total, message }: Progress): string | undefined {
  const done = Number.isFinite(progress) ? String(Math.round(progress * 1_000) / 1_000) : undefined
  const counted = done === undefined ? [] : [total === undefined ? done : `${done}/${total}`]
  const words = [...counted, ...(message === undefined ? [] : [message])].join(" ")
  return words === "" ? undefined : words.slice(0, SHOWN)
}

/** The most characters of progress. */
const SHOWN = 1_000

/** Stores progress at once, then at most once per {@link PACE}. */
export interface ProgressWriter {
  /** Notes that there is newer progress. */
  changed(): void
  /** Stops writing. */
  close(): void
}

/** Creates the writer of one task's progress. */
export function createProgressWriter(host: Host, write: () => void): ProgressWriter {
  let rest: Cancel | undefined
  let waiting = false
  let open = true
  const changed = (): void => {
    if (!open) return
    waiting = rest !== undefined
    if (waiting) return
    rest = startTimer(host, PACE, () => {
      rest = undefined
      if (waiting) changed()
    })
    write()
  }
  return {
    changed,
    close() {
      open = false
      rest?.()
    },
  }
}

/** Milliseconds between two writes of one task's progress. */
const PACE = 2_000
