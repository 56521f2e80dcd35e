import { toMessage } from "@x/base"
import type { Checked } from "../service.js"

/** Converts an error of a check to a failed check: a broken reference, or a value that takes too long or is nested too deep. */
export function toFailedCheck(thrown: unknown): Checked {
  const message = `cannot be checked: ${toMessage(thrown).split("\n")[0]}`
  return { ok: false, issues: [{ path: [], message }] }
}

/** The maximum of reported issues. */
export const maxIssues = 20
