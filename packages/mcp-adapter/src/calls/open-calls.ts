import type { Failure } from "@x/agentic-service"
import type { StopCause } from "./failures.js"

/** Something that runs and can be told to stop. */
export interface Stoppable {
  /** Tells it to stop; it has the grace to do so. Only the first cause counts. */
  stop(cause: StopCause): void
}

/** The calls that are not answered yet, and whether there may be more. */
export interface OpenCalls {
  /** Whether no further action may run. */
  closed(): boolean
  /**
   * Notes a call.
   *
   * @returns Notes its answer; to be called exactly once.
   */
  begin(): () => void
  /**
   * Notes a running action, to be told to stop when all are.
   *
   * @returns Notes its end.
   */
  running(run: Stoppable): () => void
  /**
   * Tells every running action to stop, and lets no further one run; only the first time counts.
   *
   * @param idle - Runs once every call is answered; at once where none is open.
   */
  close(idle: () => void): void
}

/** None yet. */
export function createOpenCalls(): OpenCalls {
  const runs = new Set<Stoppable>()
  let open = 0
  let idle: (() => void) | undefined
  return {
    closed: () => idle !== undefined,
    begin() {
      open += 1
      return () => {
        open -= 1
        if (open === 0) idle?.()
      }
    },
    running(run) {
      runs.add(run)
      return () => runs.delete(run)
    },
    close(whenIdle) {
      if (idle !== undefined) return
      idle = whenIdle
      for (const run of runs) run.stop("closing")
      if (open === 0) idle()
    },
  }
}

/** The failure of a call that comes after the end. */
export function toClosed(name: string): Failure {
  return { ok: false, code: "closed", message: `action "${name}" cannot be called: the server is closed` }
}
