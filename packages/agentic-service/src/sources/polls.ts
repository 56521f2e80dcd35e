import { unref } from "./unref.js"

const polls = new Set<() => void>()
let beat: ReturnType<typeof setInterval> | undefined

/** Looks at something once a second and whenever {@link poll} is called. @returns Stops looking; idempotent. */
export function addPoll(look: () => void): () => void {
  // A function of its own each time, so that one that is added twice ends each by itself.
  const own = (): void => look()
  polls.add(own)
  beat ??= startBeat()
  return () => {
    polls.delete(own)
    if (polls.size > 0) return
    clearInterval(beat)
    beat = undefined
  }
}

/** Looks at once at everything that does not tell of its changes. */
export function poll(): void {
  for (const look of [...polls]) if (polls.has(look)) look()
}

const EVERY_MS = 1_000

function startBeat(): ReturnType<typeof setInterval> {
  const timer = setInterval(poll, EVERY_MS)
  unref(timer)
  return timer
}
