import type { StandardSchemaV1 } from "@standard-schema/spec"
import { isRecord, toJson } from "@x/tool-schemas/json"
import type { JsonSchema } from "@x/tool-schemas/normalise"
import type { AnySchema, StandardSchema } from "../infer.js"
import type { Checked, Issue } from "../service.js"
import { exportSchema, isStandardSchema } from "./export-schema.js"
import { createJsonCheck, maxIssues, refuse } from "./json-check.js"
import { revive } from "./live-values.js"

/** Checks one value; never throws, never rejects. */
export type Check = (value: unknown) => Checked | Promise<Checked>

/** Makes the check of a schema. Without a schema only nothing (or an empty object, which says as much) passes. */
export function createCheck(schema: AnySchema | undefined): Check {
  if (schema === undefined) return checkNothing
  return isStandardSchema(schema) ? createInputCheck(schema) : createJsonCheck(schema)
}

/** Texts that stand for what JSON has no form for become that first. */
function createInputCheck(schema: StandardSchema): Check {
  const check = createStandardCheck(schema)
  let exported: { readonly schema: JsonSchema | undefined } | undefined
  return (value) => {
    exported ??= { schema: exportOrNothing(schema) }
    return check(revive(exported.schema, value))
  }
}

/** What cannot be exported is published nowhere, and can be checked all the same. */
function exportOrNothing(schema: StandardSchema): JsonSchema | undefined {
  try {
    return exportSchema(schema, "input")
  } catch {
    return undefined
  }
}

/**
 * Makes the check of what an action returns. A JSON Schema is asked about what JSON will make of the value, which is what its
 * readers get: a date is text, a map an object, a property that is `undefined` is not there.
 */
export function createOutputCheck(schema: AnySchema): Check {
  if (isStandardSchema(schema)) return createStandardCheck(schema)
  const check = createJsonCheck(schema)
  return async (value) => {
    const checked = await check(toJson(value))
    return checked.ok ? { ok: true, input: value } : checked
  }
}

function checkNothing(value: unknown): Checked {
  const isNothing = value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0)
  if (isNothing) return { ok: true, input: undefined }
  return { ok: false, issues: [{ path: [], message: `found ${describe(value)}, expected no input` }] }
}

function describe(value: unknown): string {
  return typeof value === "object"
    ? `input with "${Object.keys(value ?? {})
        .slice(0, 5)
        .join('", "')}"`
    : typeof value
}

/** Checks by the schema's own `validate`; what that hands out is the input. */
function createStandardCheck(schema: StandardSchema): Check {
  return (value) => {
    try {
      const result = schema["~standard"].validate(value)
      return "then" in result ? result.then(toChecked, refuse) : toChecked(result)
    } catch (thrown) {
      return refuse(thrown)
    }
  }
}

function toChecked(result: StandardSchemaV1.Result<unknown>): Checked {
  if (!result.issues) return { ok: true, input: result.value }
  return { ok: false, issues: result.issues.slice(0, maxIssues).map(toIssue) }
}

function toIssue({ message, path = [] }: StandardSchemaV1.Issue): Issue {
  return { path: path.map(toKey), message }
}

function toKey(segment: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "symbol" ? String(key) : key
}
