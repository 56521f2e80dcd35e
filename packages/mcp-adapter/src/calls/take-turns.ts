import type { Action, Failure } from "@x/agentic-service"
import type { ToolEntry } from "../catalogue/entry.js"
import { formatPath } from "../names/path.js"
import type { ActiveCall } from "./active-call.js"
import type { CallLimits } from "./call-limits.js"
import { toStopped } from "./stop.js"
import { createTurnstile } from "./turnstile.js"

/** Lets calls run as their client, and their service, may. */
export interface Turns {
  /**
   * Waits until a call may run.
   *
   * @returns Ends its turn, to be called exactly once; or why it may not run.
   */
  take(call: ActiveCall, entry: ToolEntry, action: Action): Promise<(() => void) | Failure>
  /** How many calls wait. */
  waiting(): number
}

/** Nobody runs yet. */
export function createTurns(limits: CallLimits): Turns {
  const clients = createTurnstile(limits)
  // Who waits here has a turn of its client already, so the line is no longer than all clients together may make it.
  const services = createTurnstile({ running: 1, waiting: Number.POSITIVE_INFINITY })
  return {
    async take({ subject, context }, entry, action) {
      const ofClient = await clients.enter(subject.client, context.signal)
      if (ofClient === "full") return toBusy(limits)
      if (ofClient === "left") return toStopped(subject.name, "caller", 0)
      if (limits.changes === "parallel" || action.hints.readOnly === true) return ofClient
      const ofService = await services.enter(formatPath(entry.path), context.signal)
      if (typeof ofService === "function") {
        return () => {
          ofService()
          ofClient()
        }
      }
      ofClient()
      return toStopped(subject.name, "caller", 0)
    },
    waiting: () => clients.waiting() + services.waiting(),
  }
}

function toBusy({ running, waiting }: CallLimits): Failure {
  return {
    ok: false,
    code: "busy",
    message: `${running} of your calls are running and ${waiting} are waiting, which is all that may`,
    recovery: "wait for one of them to be answered, then call again",
  }
}
