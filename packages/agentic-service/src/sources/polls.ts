import { unref } from "@x/base"

const polls = new Set<() => void>()
let beat: ReturnType<typeof setInterval> | undefined

/** Reads something once a second and whenever {@link poll} is called. @returns A function that stops; idempotent. */
export function addPoll(look: () => void): () => void {
  // A new function each time, so that a repeated reader ends each by itself.
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

/** Reads all polled sources immediately. */
export function poll(): void {
  for (const look of [...polls]) if (polls.has(look)) look()
}

const EVERY_MS = 1_000

function startBeat(): ReturnType<typeof setInterval> {
  const timer = setInterval(poll, EVERY_MS)
  unref(timer)
  return timer
}
