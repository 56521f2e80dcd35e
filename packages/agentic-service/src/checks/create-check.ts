import type { AnySchema } from "../infer.js"
import type { Checked } from "../service.js"
import { isStandardSchema } from "./export-schema.js"
import { issue } from "./issue.js"
import { createJsonCheck } from "./json-check.js"
import { createStandardCheck } from "./standard-check.js"

/** Checks one value; never throws, never rejects. */
export type Check = (value: unknown) => Checked | Promise<Checked>

/** Makes the check of a schema. Without a schema only nothing (or an empty object, which says as much) passes. */
export function createCheck(schema: AnySchema | undefined): Check {
  if (schema === undefined) return checkNothing
  return isStandardSchema(schema) ? createStandardCheck(schema) : createJsonCheck(schema)
}

function checkNothing(value: unknown): Checked {
  if (value === undefined || value === null || isEmptyObject(value)) return { ok: true, input: undefined }
  return { ok: false, issues: [issue([], `found ${describe(value)}, expected no input`)] }
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value ?? {}).length === 0
}

function describe(value: unknown): string {
  return typeof value === "object"
    ? `input with "${Object.keys(value ?? {})
        .slice(0, 5)
        .join('", "')}"`
    : typeof value
}
