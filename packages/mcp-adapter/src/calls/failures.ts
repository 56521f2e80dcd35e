import { type Failure, type Principal, ServiceError } from "@x/agentic-service"
import { type Abortable, aborted, actionFailed, notAvailable } from "@x/agentic-service/adapter"
import { AdapterError } from "../adapter-error.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall, StopCause } from "./active-call.js"

/** Why a signal of a call aborted: its server ends, where it says so by an {@link AdapterError} `closed`; else its caller gave it up. */
export function causeOf({ reason }: Pick<Abortable, "reason">): StopCause {
  return reason instanceof AdapterError && reason.code === "closed" ? "closing" : "caller"
}

/** The failure a call ends with when its action was stopped. */
export function toStopped(name: string, cause: StopCause, milliseconds: number): Failure {
  const seconds = `${Math.round(milliseconds / 100) / 10} s`
  const causes: Readonly<Record<StopCause, Failure>> = {
    caller: aborted(name),
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

/** Says why a known action cannot be called now, and what can be: what is nearest to it first, as far as there is room. */
export function toNotAvailable(
  { view, subject }: ActiveCall,
  resolution: Exclude<Resolution, { status: "available" }>,
): Failure {
  const { tools } = view.snapshot()
  const known = resolution.status === "unavailable"
  const nearest = known ? sortByDistance(tools, resolution.entry) : tools
  const callable = nearest.map((tool) => tool.name)
  return notAvailable(subject.name, { callable, ...(known && { reason: resolution.reason }) })
}

/** The actions of the same service first, then by how far one has to go along the links; else as they are listed. */
function sortByDistance(tools: readonly ToolEntry[], to: ToolEntry): readonly ToolEntry[] {
  const measured = tools.map((tool) => ({ tool, distance: distanceOf(tool, to), likeness: likenessOf(tool, to) }))
  // Sorting is stable, so what is as near stays in the order of the list.
  measured.sort((one, other) => one.distance - other.distance || other.likeness - one.likeness)
  return measured.map(({ tool }) => tool)
}

function distanceOf({ path }: ToolEntry, to: ToolEntry): number {
  return path.length + to.path.length - 2 * countShared(path, to.path)
}

function likenessOf({ key }: ToolEntry, to: ToolEntry): number {
  return countShared([...key], [...to.key])
}

/** How long two lists go on as the same. */
function countShared(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((item, index) => item !== other[index])
  return end === -1 ? one.length : end
}

/** A failure that shows nothing of its cause but the call's id; the cause goes to the operator under the same id. */
export function toActionFailed(
  { subject, emit }: Pick<ActiveCall, "subject" | "emit">,
  what: string,
  cause: unknown,
): Failure {
  // A function of the application that was asked about the call is named, and not the action.
  const asked =
    (cause instanceof AdapterError && cause.code === "callback_failed") ||
    (cause instanceof ServiceError && cause.code === "invalid_definition")
  const message = asked
    ? `call ${subject.id} of "${subject.name}" failed: ${cause.message}`
    : `action "${subject.name}" ${what} in call ${subject.id}: expected it to answer with an outcome`
  const { id, view } = subject
  const diagnostic = { code: "action_failed" as const, message, cause: asked ? (cause.cause ?? cause) : cause }
  emit({ type: "diagnostic", diagnostic, view, call: id })
  return actionFailed(subject.id)
}

/** The scopes that a caller does not hold. */
export function findLacking(scopes: readonly string[], principal: Principal | undefined): readonly string[] {
  return scopes.filter((scope) => principal?.scopes?.includes(scope) !== true)
}

/** The failure of a call that the caller may not make. */
export function toLacking(name: string, lacking: readonly string[]): Failure {
  const scopes = lacking.map((scope) => `"${scope}"`).join(", ")
  return { ok: false, code: "insufficient_scope", message: `action "${name}" takes more than was granted: ${scopes}` }
}

/** The failure of a call that may run only what changes nothing. */
export function toNotReadOnly(name: string): Failure {
  return {
    ok: false,
    code: "not_read_only",
    message: `action "${name}" may change something, and "run_read_action" runs only what is marked as read-only`,
    recovery: 'run it with "run_action"',
  }
}

/** The failure of a call that comes after the end. */
export function toClosed(name: string): Failure {
  return { ok: false, code: "closed", message: `action "${name}" cannot be called: the server is closed` }
}
