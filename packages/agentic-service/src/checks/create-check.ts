import type { StandardSchemaV1 } from "@standard-schema/spec"
import { isRecord, toJson } from "@x/tool-schemas/json"
import type { JsonSchema, Keywords } from "@x/tool-schemas/normalise"
import type { AnySchema, StandardSchema } from "../infer.js"
import type { Checked, Issue } from "../service.js"
import { ServiceError } from "../service-error.js"
import { exportSchema, isStandardSchema } from "./export-schema.js"
import { maxIssues, refuse } from "./refuse.js"
import { hasMark } from "./zod-options.js"

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
  let exported: { readonly marked: Keywords | undefined } | undefined
  return (value) => {
    exported ??= { marked: exportMarked(schema) }
    const { marked } = exported
    if (marked === undefined) return check(value)
    return import("./live-values.js").then(({ revive }) => check(revive(marked, value)), refuse)
  }
}

/**
 * Makes the check of a JSON Schema. What it takes is loaded with the first value: a page is there sooner, and may never be asked.
 * From then on it answers at once.
 */
export function createJsonCheck(schema: JsonSchema): Check {
  let made: Check | undefined
  const check = (checks: JsonChecks, value: unknown): ReturnType<Check> => {
    loaded = checks
    made ??= checks.createJsonCheck(schema)
    return made(value)
  }
  return (value) =>
    loaded === undefined
      ? import("./json-check.js").then((checks) => check(checks, value), refuse)
      : check(loaded, value)
}

type JsonChecks = typeof import("./json-check.js")

/** There once a value was checked. */
let loaded: JsonChecks | undefined

/**
 * Checks one value against JSON Schema (2020-12), without compiling code. Fills nothing in; never rejects.
 *
 * @example
 * ```ts
 * import { checkJson } from "@x/agentic-service/adapter"
 *
 * console.log(await checkJson({ type: "string" }, 1))
 * // { ok: false, issues: [ { path: [], message: 'found "number", expected "string"' } ] }
 * ```
 */
export async function checkJson(schema: JsonSchema, value: unknown): Promise<Checked> {
  return createJsonCheck(schema)(value)
}

/**
 * Makes a check that answers at once, with the host's own engine for patterns: for values that come from where the schema comes from,
 * or from the person at this machine. Texts of more than 256 characters match no pattern. The check never throws.
 *
 * @returns Rejects only where the table of formats is needed and cannot be loaded.
 */
export async function loadTrustedCheck(schema: JsonSchema): Promise<(value: unknown) => Checked> {
  const checks = await import("./json-check.js")
  return checks.loadTrustedCheck(schema)
}

/** What cannot be exported is published nowhere, and can be checked all the same. */
function exportMarked(schema: StandardSchema): Keywords | undefined {
  try {
    const exported = exportSchema(schema, "input")
    return isRecord(exported) && hasMark(exported) ? exported : undefined
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

/**
 * Makes the check of a Standard Schema: its own `validate`, which hands out the input.
 *
 * @throws ServiceError `invalid_definition` for a schema that can only say what it looks like.
 */
function createStandardCheck(schema: StandardSchema): Check {
  const { vendor, validate } = schema["~standard"]
  if (typeof validate !== "function") {
    const found = `found a schema of "${vendor}" without "validate", which can check nothing`
    const effect = "Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(it))"
    const instead = vendor === "effect" ? effect : "a schema that also implements Standard Schema, or JSON Schema"
    throw new ServiceError(`${found}; hand in ${instead}`, {
      code: "invalid_definition",
    })
  }
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
