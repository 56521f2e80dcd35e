import { type Failure, ServiceError } from "@x/agentic-service"
import { type Abortable, aborted, actionFailed, notAvailable } from "@x/agentic-service/adapter"
import { AdapterError } from "../adapter-error.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall, StopCause } from "./active-call.js"

/** Returns the cause of a call's abort: `closing` if the reason is an {@link AdapterError} `closed`, else the caller. */
export function causeOf({ reason }: Pick<Abortable, "reason">): StopCause {
  return reason instanceof AdapterError && reason.code === "closed" ? "closing" : "caller"
}

/** Creates the failure of a call whose action was stopped. */
export function toStopped(name: string, cause: StopCause, milliseconds: number): Failure {
  const seconds = `${Math.round(milliseconds / 100) / 10} s`
  const causes: Readonly<Record<StopCause, Failure>> = {
    caller: aborted(name),
    timeout: {
      ok: false,
      code: "timed_out",
      message: `action "${name}" was stopped: it did not finish within ${seconds}`,
      recovery: "read the state before you call again: the action may have done part of its work",
    },
    idle: {
      ok: false,
      code: "timed_out",
      message: `action "${name}" was stopped: it reported no progress for ${seconds}`,
      recovery: "read the state before you call again: the action may have done part of its work",
    },
    hidden: {
      ok: false,
      code: "not_available",
      message: `action "${name}" was stopped: it is no longer available`,
    },
    closing: { ok: false, code: "aborted", message: `action "${name}" was stopped: the server is closing` },
  }
  return causes[cause]
}

/**
 * Creates the failure of an unavailable action: its reason, and the available actions, nearest first, as far as there is room.
 */
export function toNotAvailable(
  { view, subject, nameOf = ({ name }) => name }: ActiveCall,
  resolution: Exclude<Resolution, { status: "available" }>,
): Failure {
  const { tools } = view.snapshot()
  const known = resolution.status === "unavailable"
  const nearest = known ? sortByDistance(tools, resolution.entry) : tools
  const callable = [...new Set(nearest.map(nameOf))]
  return notAvailable(subject.name, { callable, ...(known && { reason: resolution.reason }) })
}

/** Sorts the actions of the same service first, then by distance along the links, then in the order of the list. */
function sortByDistance(tools: readonly ToolEntry[], to: ToolEntry): readonly ToolEntry[] {
  const measured = tools.map((tool) => ({ tool, distance: distanceOf(tool, to), likeness: likenessOf(tool, to) }))
  // Sorting is stable, so equally near actions stay in the order of the list.
  measured.sort((one, other) => one.distance - other.distance || other.likeness - one.likeness)
  return measured.map(({ tool }) => tool)
}

function distanceOf({ path }: ToolEntry, to: ToolEntry): number {
  return path.length + to.path.length - 2 * countShared(path, to.path)
}

function likenessOf({ key }: ToolEntry, to: ToolEntry): number {
  return countShared([...key], [...to.key])
}

/** Returns the length of the common prefix of two lists. */
function countShared(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((item, index) => item !== other[index])
  return end === -1 ? one.length : end
}

/** Creates a failure that shows only the call's id; a diagnostic with the same id gives the operator the cause. */
export function toActionFailed(
  { subject, emit }: Pick<ActiveCall, "subject" | "emit">,
  what: string,
  cause: unknown,
): Failure {
  // If a callback of the application failed, the message names the callback instead of the action.
  const asked =
    (cause instanceof AdapterError && cause.code === "callback_failed") ||
    (cause instanceof ServiceError && cause.code === "invalid_definition")
  const message = asked
    ? `call ${subject.id} of "${subject.name}" failed: ${cause.message}`
    : `action "${subject.name}" ${what} in call ${subject.id}: expected it to return an outcome`
  const { id, view } = subject
  const diagnostic = { code: "action_failed" as const, message, cause: asked ? (cause.cause ?? cause) : cause }
  emit({ type: "diagnostic", diagnostic, view, call: id })
  return actionFailed(subject.id)
}

/** Creates the failure of a call whose caller lacks scopes. */
export function toLacking(name: string, lacking: readonly string[]): Failure {
  const scopes = lacking.map((scope) => `"${scope}"`).join(", ")
  return {
    ok: false,
    code: "insufficient_scope",
    message: `action "${name}" needs scopes that were not granted: ${scopes}`,
  }
}

/** Creates the failure of a changing action that was called as read-only. */
export function toNotReadOnly(name: string): Failure {
  return {
    ok: false,
    code: "not_read_only",
    message: `action "${name}" may change something, and "run_read_action" runs only read-only actions`,
    recovery: 'run it with "run_action"',
  }
}

/** Creates the failure of a call after the adapter was closed. */
export function toClosed(name: string): Failure {
  return { ok: false, code: "closed", message: `action "${name}" cannot be called: the server is closed` }
}
