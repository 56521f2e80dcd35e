import { memberOf } from "../member-of.js"
import type { Failure, Outcome, Success } from "../outcome.js"
import { failure, isContent, isFailed } from "../outcome.js"
import type { Report } from "../report.js"
import type { Checked } from "../service.js"
import { ServiceError } from "../service-error.js"
import { aborted, actionFailed, confirmationUnavailable, formatIssues, invalidOutput } from "./failures.js"

/** An action about to run on checked input. */
export interface Run {
  /** The action's key, for messages and reports. */
  readonly key: string
  /** Whether a person has to be asked first, and was not. */
  readonly unanswered: boolean
  /** Checks a successful value, where the action promises one. */
  readonly checkOutput?: ((value: unknown) => Checked | Promise<Checked>) | undefined
  /** Is told what the caller must not see. */
  readonly report: Report
  /** The author's function; may throw, reject, return anything. */
  run(): unknown
}

/** Runs the author's function and makes an outcome of whatever comes of it. Never rejects. */
export async function runAction(action: Run, signal: AbortSignal): Promise<Outcome> {
  if (action.unanswered) return confirmationUnavailable(action.key)
  if (signal.aborted) return aborted(action.key)
  try {
    return await settle(action, await action.run())
  } catch (thrown) {
    return signal.aborted && isAbort(thrown, signal) ? aborted(action.key) : fromThrown(action, thrown)
  }
}

async function settle(action: Run, returned: unknown): Promise<Outcome> {
  if (isFailed(returned)) return failure(returned.message, returned)
  if (!isContent(returned)) return succeed(action, returned)
  const outcome = await succeed(action, returned.value)
  return outcome.ok ? { ...outcome, content: returned.blocks } : outcome
}

async function succeed({ key, checkOutput, report }: Run, value: unknown): Promise<Success | Failure> {
  if (!checkOutput) return value === undefined ? { ok: true } : { ok: true, value }
  const checked = await checkOutput(value)
  if (checked.ok) return { ok: true, value: checked.input }
  const cause = new ServiceError(`action "${key}" broke its output: ${formatIssues(checked.issues)}`, {
    code: "invalid_output",
    cause: value,
  })
  report({ kind: "action", key, cause })
  return invalidOutput(key)
}

function fromThrown({ key, report }: Run, thrown: unknown): Failure {
  if (thrown instanceof ServiceError) {
    return failure(thrown.message, { code: thrown.code, ...(thrown.recovery ? { recovery: thrown.recovery } : {}) })
  }
  const id = Math.random().toString(36).slice(2, 10)
  report({ kind: "action", key, cause: thrown, id })
  return actionFailed(id)
}

/** Giving up because of the signal is no fault of the action. */
function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  return thrown === signal.reason || memberOf(thrown, "name") === "AbortError"
}
