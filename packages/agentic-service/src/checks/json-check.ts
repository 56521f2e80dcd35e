import { type OutputUnit, Validator } from "@cfworker/json-schema"
import type { JsonSchema } from "@x/tool-schemas"
import type { Checked, Issue } from "../service.js"
import { issue, maxIssues, thrownIssue } from "./issue.js"
import { toCheckable } from "./to-checkable.js"

/**
 * Checks against JSON Schema (2020-12) without compiling code, so that it works under a page's content security
 * policy. Fills nothing in, tolerates formats it does not know. A schema that cannot be followed fails every value.
 */
export function createJsonCheck(schema: JsonSchema): (value: unknown) => Checked {
  let validator: Validator | undefined
  return (value) => {
    try {
      validator ??= new Validator(toCheckable(schema), "2020-12", false)
      const { valid, errors } = validator.validate(value)
      return valid ? { ok: true, input: value } : { ok: false, issues: toIssues(errors) }
    } catch (thrown) {
      return { ok: false, issues: [thrownIssue(thrown)] }
    }
  }
}

function toIssues(errors: readonly OutputUnit[]): readonly Issue[] {
  const telling = errors.filter(({ keyword }) => !wrappers.has(keyword))
  return (telling.length > 0 ? telling : errors).slice(0, maxIssues).map(toIssue)
}

/** What only says that something further down is wrong, which is told as well. */
const wrappers: ReadonlySet<string> = new Set([
  "$ref",
  "additionalProperties",
  "allOf",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "unevaluatedItems",
  "unevaluatedProperties",
])

function toIssue({ instanceLocation, keyword, error }: OutputUnit): Issue {
  return issue(toPath(instanceLocation), keyword === "false" ? "is not expected here" : reword(error))
}

/** The validator's location is a JSON pointer in a fragment, such as `#/cards/0/a~1b`. */
function toPath(location: string): Issue["path"] {
  const segments = location.split("/").slice(1)
  return segments.map((segment) => {
    const key = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~")
    return /^(0|[1-9]\d*)$/.test(key) ? Number(key) : key
  })
}

/** Brings the validator's sentences into the form of ours. */
function reword(error: string): string {
  const type = /^Instance type (.*) is invalid\. Expected (.*)\.$/s.exec(error)
  if (type) return `found ${type[1]}, expected ${type[2]}`
  const required = /^Instance does not have required property (.*)\.$/s.exec(error)
  if (required) return `${required[1]} is missing`
  const pattern = /^String does not match format "pattern (.*)"\.$/s.exec(error)
  if (pattern) return `does not match the pattern "${pattern[1]}"`
  return error.charAt(0).toLowerCase() + error.slice(1).replace(/\.$/, "")
}
