import { type Host, once, startTimer } from "../../runtime/host.js"

/** The requests that wait for their answer, so that a server can finish them before it ends. */
export interface Work {
  /**
   * Notes a request.
   *
   * @returns Notes its answer; idempotent.
   */
  begin(): () => void
  /** Resolves once every request is answered, or after `milliseconds`. */
  idle(milliseconds: number): Promise<void>
}

/** How long requests may still take when what serves them is to end, in milliseconds, where nothing else is said. */
export const DRAIN = 5_000

/** How long requests that were told to stop may take to be answered, in milliseconds: a little longer than an action has for it. */
export const STOPPING = 6_000

/** Nothing asked yet. */
export function createWork(host: Pick<Host, "clock" | "ledger">): Work {
  let open = 0
  const waiting = new Set<() => void>()
  return {
    begin() {
      open += 1
      return once(() => {
        open -= 1
        if (open === 0) for (const resolve of [...waiting]) resolve()
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
