import type { Failure } from "@x/agentic-service"

/** Why a running action is told to stop. */
export type StopCause = "caller" | "timeout" | "idle" | "hidden" | "closing"

/** The failure a call ends with when its action was stopped. */
export function toStopped(name: string, cause: StopCause, milliseconds: number): Failure {
  const seconds = `${Math.round(milliseconds / 100) / 10} s`
  const causes: Readonly<Record<StopCause, Failure>> = {
    caller: { ok: false, code: "aborted", message: `action "${name}" was aborted by its caller` },
    timeout: {
      ok: false,
      code: "timed_out",
      message: `action "${name}" was stopped: it did not finish within ${seconds}`,
      recovery: "look at the state before calling again: it may have done part of its work",
    },
    idle: {
      ok: false,
      code: "timed_out",
      message: `action "${name}" was stopped: it reported no progress for ${seconds}`,
      recovery: "look at the state before calling again: it may have done part of its work",
    },
    hidden: {
      ok: false,
      code: "not_available",
      message: `action "${name}" was stopped: it is not available any more`,
    },
    closing: { ok: false, code: "aborted", message: `action "${name}" was stopped: the server is closing` },
  }
  return causes[cause]
}
