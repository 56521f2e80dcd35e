import type { Issue } from "../service.js"

/** Makes an issue. */
export function issue(path: Issue["path"], message: string): Issue {
  return { path, message }
}

/** Turns what a validator threw into an issue: too deep, a reference to nowhere, a value JSON does not know. */
export function thrownIssue(thrown: unknown): Issue {
  const [line = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n")
  return issue([], `cannot be checked: ${line}`)
}

/** More than anybody can act on at once. */
export const maxIssues = 20
