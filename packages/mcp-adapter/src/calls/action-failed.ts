import type { Failure } from "@x/agentic-service"
import type { ActiveCall } from "./active-call.js"

/** A failure that shows nothing of its cause but the call's id; the cause goes to the operator under the same id. */
export function toActionFailed(
  { subject, emit }: Pick<ActiveCall, "subject" | "emit">,
  what: string,
  cause: unknown,
): Failure {
  const message = `action "${subject.name}" ${what} in call ${subject.id}: expected it to answer with an outcome`
  emit({ type: "diagnostic", diagnostic: { code: "action_failed", message, cause } })
  return { ok: false, code: "action_failed", message: `action failed (${subject.id})` }
}
