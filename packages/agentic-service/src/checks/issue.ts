import type { Issue } from "../service.js"

/** Makes an issue. */
export function issue(path: Issue["path"], message: string): Issue {
  return { path, message }
}

/** Turns what a validator threw into an issue: too deep, a reference to nowhere, a value JSON does not know. */
export function thrownIssue(thrown: unknown): Issue {
  // The validator goes on after two spaces, with what it knows instead: nothing a caller can use.
  const [sentence = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split(/\n| {2}/)
  return issue([], `cannot be checked: ${sentence}`)
}

/** More than anybody can act on at once. */
export const maxIssues = 20
