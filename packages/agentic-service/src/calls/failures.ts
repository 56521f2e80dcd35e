import { formatPointer } from "@x/base"
import { type Failure, failure } from "../outcome.js"
import type { Issue } from "../service.js"

// All failures other than authors' own are worded here, so that models read the same text everywhere.

/**
 * Creates the failure of an action that cannot be called now.
 *
 * @example
 * ```ts
 * import { notAvailable } from "@x/agentic-service/adapter"
 *
 * const failure = notAvailable("undo", { reason: "nothing was changed yet", callable: ["add", "remove"] })
 * console.log(failure.message) // action "undo" is not available now: nothing was changed yet
 * console.log(failure.recovery) // can be called now: add, remove
 * ```
 */
export function notAvailable(name: string, { reason, callable }: Unavailable): Failure {
  return failure(`action "${name}" is not available now${reason === undefined ? "" : `: ${reason}`}`, {
    code: "not_available",
    recovery: suggest(callable),
  })
}

/**
 * Creates the failure of a call whose target was replaced; it did not run.
 *
 * @example
 * ```ts
 * import { changed } from "@x/agentic-service/adapter"
 *
 * console.log(changed("save").message) // "save" has been replaced since it was called, so it did not run
 * ```
 */
export function changed(name: string): Failure {
  return failure(`"${name}" has been replaced since it was called, so it did not run`, {
    code: "changed",
    recovery: "read the state again, then repeat the call if it is still wanted",
  })
}

/** The reason why an action is unavailable, and the available ones. */
export interface Unavailable {
  /** The reason, in the author's words if given. */
  readonly reason?: string | undefined
  /** Currently callable actions, nearest first. Only a few are named. */
  readonly callable: readonly string[]
}

function suggest(callable: readonly string[]): string {
  if (callable.length === 0) return "no action can be called now"
  const shown = callable.slice(0, shownItems)
  return `can be called now: ${shown.join(", ")}${andMore(callable)}`
}

/**
 * Creates the failure of an input that does not match its schema, with one issue per line, each with its place as a JSON
 * Pointer (RFC 6901). The action did not run.
 *
 * @example
 * ```ts
 * import { checkJson, invalidInput } from "@x/agentic-service/adapter"
 *
 * const schema = { type: "object", properties: { count: { type: "integer" } } }
 * const checked = await checkJson(schema, { count: "two" })
 * if (!checked.ok) console.log(invalidInput("add", checked.issues).message)
 * // the arguments of "add" are not valid:
 * // - /count: found "string", expected "integer"
 * ```
 */
export function invalidInput(name: string, issues: readonly Issue[]): Failure {
  return failure([`the arguments of "${name}" are not valid:`, ...listIssues(issues)].join("\n"), {
    code: "invalid_input",
    recovery: "correct the arguments and call again",
  })
}

/** Formats issues, one per line: `- /cards/0/title: found "number", expected "string"`. */
export function listIssues(issues: readonly Issue[]): readonly string[] {
  const shown = issues.slice(0, shownItems).map(({ path, message }) => {
    return path.length === 0 ? `- ${message}` : `- ${formatPointer(path)}: ${message}`
  })
  return issues.length > shownItems ? [...shown, `and ${issues.length - shownItems} more`] : shown
}

/**
 * Creates the failure of an action whose result does not match its schema. The details go to the log, because the caller cannot
 * act on them.
 *
 * @example
 * ```ts
 * import { invalidOutput } from "@x/agentic-service/adapter"
 *
 * console.log(invalidOutput("count").code) // invalid_output
 * ```
 */
export function invalidOutput(name: string): Failure {
  return failure(`action "${name}" ran, but its result does not match its output schema`, {
    code: "invalid_output",
  })
}

/** Creates the failure of an action that returned an observable or a generator, which nobody can read. */
export function streamed(name: string): Failure {
  return failure(`action "${name}" returned a stream, expected a value`, { code: "invalid_output" })
}

/**
 * Creates the failure of an action that threw. The id identifies the reported cause.
 *
 * @example
 * ```ts
 * import { actionFailed } from "@x/agentic-service/adapter"
 *
 * const id = crypto.randomUUID()
 * console.error(id, new Error("the disk is full")) // for the log
 * console.log(actionFailed(id).message.endsWith(`(${id})`)) // true
 * ```
 */
export function actionFailed(id: string): Failure {
  return failure(`action failed (${id})`, { code: "action_failed" })
}

/**
 * Creates the failure of an action that needs a person's answer when no person can be asked. The action did not run.
 *
 * @example
 * ```ts
 * import { confirmationUnavailable } from "@x/agentic-service/adapter"
 *
 * console.log(confirmationUnavailable("wipe").message)
 * // action "wipe" needs a person's answer before it runs, and no person can be asked here
 * ```
 */
export function confirmationUnavailable(name: string): Failure {
  return failure(`action "${name}" needs a person's answer before it runs, and no person can be asked here`, {
    code: "confirmation_unavailable",
  })
}

/**
 * Creates the failure of a call aborted by its caller. The action did not run, or stopped.
 *
 * @example
 * ```ts
 * import { aborted } from "@x/agentic-service/adapter"
 *
 * console.log(aborted("search").message) // action "search" was aborted by its caller
 * ```
 */
export function aborted(name: string): Failure {
  return failure(`action "${name}" was aborted by its caller`, { code: "aborted" })
}

function andMore(items: readonly unknown[]): string {
  return items.length > shownItems ? ` and ${items.length - shownItems} more` : ""
}

/** The maximum of listed items. */
const shownItems = 20
