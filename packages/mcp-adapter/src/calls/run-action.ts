import type { Action, ExecuteContext, Outcome, Progress } from "@x/agentic-service"
import { toActionFailed } from "./action-failed.js"
import type { ActiveCall } from "./active-call.js"

/** Runs the action on checked input, and takes no more progress once it has settled. */
export async function runAction(call: ActiveCall, action: Action, input: unknown): Promise<Outcome> {
  const { signal, principal, answers, progress } = call.context
  const gate = createProgressGate(progress)
  const context: ExecuteContext = { signal, answers, progress: gate.report, ...(principal && { principal }) }
  try {
    const outcome: unknown = await action.execute(input, context)
    return isOutcome(outcome) ? outcome : toActionFailed(call, "answered something else", outcome)
  } finally {
    gate.close()
  }
}

/** Lets through what MCP allows (2026-07-28, basic/utilities/progress): numbers that grow, and none after the answer. */
function createProgressGate(send: ((progress: Progress) => void) | undefined): {
  report(progress: Progress): void
  close(): void
} {
  let open = send !== undefined
  let last = Number.NEGATIVE_INFINITY
  return {
    report(report) {
      try {
        if (!open || !Number.isFinite(report.progress) || report.progress <= last) return
        last = report.progress
        send?.(report)
      } catch {
        // A caller who cannot be reached is no reason for the action to fail.
      }
    },
    close() {
      open = false
    },
  }
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== "object" || value === null || !("ok" in value)) return false
  return value.ok === true || (value.ok === false && "message" in value && typeof value.message === "string")
}
