import { type Host, holdProcess, once, startTimer } from "../../runtime/host.js"

/** Counts unanswered requests, so that a server can finish them before it ends. */
export interface Work {
  /**
   * Counts a request.
   *
   * @returns Counts its answer; idempotent.
   */
  begin(): () => void
  /** Resolves once every request is answered, or after `milliseconds`. */
  idle(milliseconds: number): Promise<void>
}

/** The default time for running requests to finish during shutdown, in milliseconds. */
export const DRAIN = 5_000

/** How long stopped requests may take to be answered, in milliseconds: a little longer than an action's own time to stop. */
export const STOPPING = 6_000

/**
 * Creates the counter.
 *
 * @param holds - Whether unanswered requests keep the process alive, for connections that do not do so themselves.
 */
export function createWork(host: Pick<Host, "clock" | "ledger">, holds = false): Work {
  let open = 0
  let letGo: (() => void) | undefined
  const waiting = new Set<() => void>()
  return {
    begin() {
      if (open === 0 && holds) letGo = holdProcess()
      open += 1
      return once(() => {
        open -= 1
        if (open > 0) return
        letGo?.()
        for (const resolve of [...waiting]) resolve()
      })
    },
    idle: (milliseconds) =>
      new Promise<void>((resolve) => {
        if (open === 0 || milliseconds <= 0) return resolve()
        const over = (): void => {
          cancel()
          waiting.delete(over)
          resolve()
        }
        const cancel = startTimer(host, milliseconds, over)
        waiting.add(over)
      }),
  }
}
