import type { Failure } from "@x/agentic-service"
import type { Resolution } from "../catalogue/view.js"
import type { ActiveCall } from "./active-call.js"

/** Says why a known action cannot be called now, and what can be. */
export function toNotAvailable(
  { view, subject }: ActiveCall,
  resolution: Exclude<Resolution, { status: "available" }>,
): Failure {
  const reason = resolution.status === "unavailable" ? resolution.reason : undefined
  return {
    ok: false,
    code: "not_available",
    message: `action "${subject.name}" is not available now${reason ? `: ${reason}` : ""}`,
    recovery: toRecovery(view.snapshot().tools.map((tool) => tool.name)),
  }
}

function toRecovery(names: readonly string[]): string {
  if (names.length === 0) return "no action can be called now"
  const shown = names.slice(0, shownNames).join(", ")
  const more = names.length - shownNames
  return `can be called now: ${shown}${more > 0 ? ` and ${more} more` : ""}`
}

const shownNames = 20
