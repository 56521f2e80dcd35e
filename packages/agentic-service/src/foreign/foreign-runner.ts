import { type Callee, followActions, notAvailable } from "../calls/follow-actions.js"
import { runAction } from "../calls/run-action.js"
import { type Failed, fail } from "../fail.js"
import type { Report } from "../members/member.js"
import type { Action, Failure, Outcome } from "../service.js"
import { memberOf } from "../sources/member-of.js"
import type { ForeignService } from "./recognise-service.js"

/** What foreign actions need to run. */
export interface ForeignCalls {
  /** Whose actions they are. */
  readonly foreign: ForeignService
  /** Whether a string that an action returns is an error message. */
  readonly stringsAreErrors: boolean
  /** Is told what callers must not see. */
  readonly report: Report
  /** The wrapping service, to look actions up in. */
  callee(): Callee
}

/** A call of a foreign action. */
export interface ForeignCall {
  /** The action's key. */
  readonly key: string
  /** Checked values by position. */
  readonly values: readonly unknown[]
}

/** Runs a foreign action. Never rejects. */
export type Runner = (call: ForeignCall, signal: AbortSignal) => Promise<Outcome>

/**
 * Makes the runner of a service's actions. Each call looks the action up again, because a foreign action does not
 * look at its condition itself. What takes several parameters can only be called on the action; all else goes
 * through the service, whose contract that is.
 *
 * @param entryOf - The foreign entry an action was made of.
 */
export function createRunner(calls: ForeignCalls, entryOf: (action: Action) => object | undefined): Runner {
  const { foreign, report, stringsAreErrors } = calls

  const call = ({ key, values }: ForeignCall): unknown => {
    const live = followActions(calls.callee())
    try {
      const action = live.find(key)
      if (!action) return toFailed(notAvailable(calls.callee(), key, live))
      return values.length > 1 ? callEntry(entryOf(action), values) : foreign.execute(key, values[0])
    } finally {
      live.release()
    }
  }
  const run = async (request: ForeignCall): Promise<unknown> => {
    const returned = await call(request)
    if (returned instanceof Error) return fail(returned.message)
    return typeof returned === "string" && stringsAreErrors ? fail(returned || "action failed") : returned
  }
  return (request, signal) =>
    runAction({ key: request.key, unanswered: false, report, run: () => run(request) }, signal)
}

function callEntry(entry: object | undefined, values: readonly unknown[]): unknown {
  const execute = memberOf(entry, "execute")
  return typeof execute === "function" ? Reflect.apply(execute, entry, values) : undefined
}

function toFailed({ message, ...options }: Failure): Failed {
  return fail(message, options)
}
