import type { Failure } from "../outcome.js"
import { failure } from "../outcome.js"
import type { Issue } from "../service.js"

/** The caller lost interest; the action did not run, or gave up. */
export function aborted(key: string): Failure {
  return failure(`action "${key}" was aborted by its caller`, { code: "aborted" })
}

/** The input does not fit; nothing ran. */
export function invalidInput(key: string, issues: readonly Issue[]): Failure {
  return failure(`action "${key}" cannot take this input: ${formatIssues(issues)}`, {
    code: "invalid_input",
    recovery: "correct the input and call again",
  })
}

/** The action ran, and broke its promise. Where and how is for the log: the caller can do nothing about it. */
export function invalidOutput(key: string): Failure {
  return failure(`action "${key}" ran, but what it returned does not fit its output schema`, { code: "invalid_output" })
}

/** The action wants to ask a person first. */
export function confirmationUnavailable(key: string): Failure {
  return failure(`action "${key}" asks a person before it runs, and nobody can be asked here`, {
    code: "confirmation_unavailable",
  })
}

/** The action threw; the id finds the cause among the reported failures. */
export function actionFailed(id: string): Failure {
  return failure(`action failed (${id})`, { code: "action_failed" })
}

/** Writes issues on one line, each with its place: `/cards/0/title: found "number", expected "string"`. */
export function formatIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `/${path.join("/")}: ${message}`)).join("; ")
}
