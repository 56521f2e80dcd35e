import { formatPointer } from "@x/tool-schemas/json"
import { type Failure, failure } from "../outcome.js"
import type { Issue } from "../service.js"

// Every failure that is not the author's is worded here, so that a model reads the same whoever answers.

/** The action cannot be called now. */
export function notAvailable(name: string, { reason, callable }: Unavailable): Failure {
  return failure(`action "${name}" is not available now${reason === undefined ? "" : `: ${reason}`}`, {
    code: "not_available",
    recovery: suggest(callable),
  })
}

/** Says that another thing has taken the place of the one the call was for; nothing ran. */
export function changed(name: string): Failure {
  return failure(`"${name}" leads to something else than when it was called, so it did not run`, {
    code: "changed",
    recovery: "read the state again, then call again if it is still wanted",
  })
}

/** Why an action cannot be called now, and what can be. */
export interface Unavailable {
  /** Why, in the author's words where there are any. */
  readonly reason?: string | undefined
  /** What can be called now, what is nearest first; a few are named. */
  readonly callable: readonly string[]
}

function suggest(callable: readonly string[]): string {
  if (callable.length === 0) return "no action can be called now"
  const shown = callable.slice(0, shownItems)
  return `can be called now: ${shown.join(", ")}${andMore(callable)}`
}

/** The input does not fit, an issue a line, each with its place as a JSON Pointer (RFC 6901); nothing ran. */
export function invalidInput(name: string, issues: readonly Issue[]): Failure {
  return failure([`the arguments of "${name}" are not valid:`, ...listIssues(issues)].join("\n"), {
    code: "invalid_input",
    recovery: "correct the arguments and call again",
  })
}

/** Writes issues, one a line: `- /cards/0/title: found "number", expected "string"`. */
export function listIssues(issues: readonly Issue[]): readonly string[] {
  const shown = issues.slice(0, shownItems).map(({ path, message }) => {
    return path.length === 0 ? `- ${message}` : `- ${formatPointer(path)}: ${message}`
  })
  return issues.length > shownItems ? [...shown, `and ${issues.length - shownItems} more`] : shown
}

/** The action ran, and broke its promise. Where and how is for the log: the caller can do nothing about it. */
export function invalidOutput(name: string): Failure {
  return failure(`action "${name}" ran, but what it returned does not fit its output schema`, {
    code: "invalid_output",
  })
}

/** The action ran, and answered with something that goes on, such as an observable or a generator, which nobody can read. */
export function streamed(name: string): Failure {
  return failure(`action "${name}" answered with a stream, expected its value`, { code: "invalid_output" })
}

/** The action threw; the id finds the cause among what was reported. */
export function actionFailed(id: string): Failure {
  return failure(`action failed (${id})`, { code: "action_failed" })
}

/** The action wants to ask a person first, and nobody can be asked; nothing ran. */
export function confirmationUnavailable(name: string): Failure {
  return failure(`action "${name}" asks a person before it runs, and nobody can be asked here`, {
    code: "confirmation_unavailable",
  })
}

/** The caller lost interest; the action did not run, or gave up. */
export function aborted(name: string): Failure {
  return failure(`action "${name}" was aborted by its caller`, { code: "aborted" })
}

function andMore(items: readonly unknown[]): string {
  return items.length > shownItems ? ` and ${items.length - shownItems} more` : ""
}

/** What is longer is no help any more. */
const shownItems = 20
