import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { StandardSchema } from "../infer.js"
import type { Checked, Issue } from "../service.js"
import type { Check } from "./create-check.js"
import { issue, maxIssues, thrownIssue } from "./issue.js"

/** Checks by the schema's own `validate`; what that hands out is the input. */
export function createStandardCheck(schema: StandardSchema): Check {
  return (value) => {
    try {
      const result = schema["~standard"].validate(value)
      return "then" in result ? result.then(toChecked, refused) : toChecked(result)
    } catch (thrown) {
      return refused(thrown)
    }
  }
}

function toChecked(result: StandardSchemaV1.Result<unknown>): Checked {
  if (!result.issues) return { ok: true, input: result.value }
  return { ok: false, issues: result.issues.slice(0, maxIssues).map(toIssue) }
}

function toIssue({ message, path = [] }: StandardSchemaV1.Issue): Issue {
  return issue(path.map(toKey), message)
}

function toKey(segment: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "symbol" ? String(key) : key
}

function refused(thrown: unknown): Checked {
  return { ok: false, issues: [thrownIssue(thrown)] }
}
