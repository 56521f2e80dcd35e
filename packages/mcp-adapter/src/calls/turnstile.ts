import PQueue from "p-queue"

/** Lets so many through at once, keyed by whom; others wait in line, as far as the line goes. */
export interface Turnstile {
  /**
   * Waits for a turn.
   *
   * @returns The end of the turn, to be called exactly once; `full` when the line is too long already; `left` when `signal`
   * aborts first.
   */
  enter(key: string, signal: AbortSignal): Promise<(() => void) | "full" | "left">
  /** How many wait, over all keys. */
  waiting(): number
}

/** Nobody inside yet. */
export function createTurnstile(limits: { readonly running: number; readonly waiting: number }): Turnstile {
  const lines = new Map<string, PQueue>()
  const open = (key: string): PQueue => {
    const line = new PQueue({ concurrency: limits.running })
    lines.set(key, line)
    // A line that nobody stands in is forgotten, so that clients who come and go leave nothing behind.
    line.on("idle", () => {
      if (lines.get(key) === line) lines.delete(key)
    })
    return line
  }
  return {
    async enter(key, signal) {
      const line = lines.get(key) ?? open(key)
      if (line.pending >= limits.running && line.size >= limits.waiting) return "full"
      return takeTurn(line, signal)
    },
    waiting: () => [...lines.values()].reduce((sum, line) => sum + line.size, 0),
  }
}

function takeTurn(line: PQueue, signal: AbortSignal): Promise<(() => void) | "left"> {
  return new Promise((resolve) => {
    // Only the wait is over when the caller aborts; a turn that has begun is for the call to end.
    const waiting = new AbortController()
    const leave = (): void => waiting.abort()
    const turn = (): Promise<void> =>
      new Promise((end) => {
        signal.removeEventListener("abort", leave)
        resolve(end)
      })
    signal.addEventListener("abort", leave, { once: true })
    if (signal.aborted) leave()
    line.add(turn, { signal: waiting.signal }).catch(() => resolve("left"))
  })
}
