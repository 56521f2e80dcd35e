import type { Checked } from "../service.js"

/** Turns what a check threw into a failed one: a reference to nowhere, what takes too long or goes too deep. */
export function refuse(thrown: unknown): Checked {
  const message = `cannot be checked: ${String(thrown instanceof Error ? thrown.message : thrown).split("\n")[0]}`
  return { ok: false, issues: [{ path: [], message }] }
}

/** More than anybody can act on at once. */
export const maxIssues = 20
