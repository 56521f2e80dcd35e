import type { StandardSchemaV1 } from "@standard-schema/spec"
import { isRecord, toJson } from "@x/base"
import type { JsonSchema, Keywords } from "@x/tool-schemas/normalise"
import type { AnySchema, StandardSchema } from "../infer.js"
import { maxIssues, toFailedCheck } from "../json-schema/refuse.js"
import type { Checked, Issue } from "../service.js"
import { ServiceError } from "../service-error.js"
import { exportSchema, isStandardSchema } from "./export-schema.js"
import { hasMark } from "./zod-options.js"

/** Checks one value. Never throws or rejects. */
export type Check = (value: unknown) => Checked | Promise<Checked>

/**
 * Creates the check of a schema. Without a schema, only a missing value or an empty object passes.
 *
 * @example
 * ```ts
 * import { createCheck } from "@x/agentic-service/adapter"
 *
 * const check = createCheck({ type: "object", properties: { count: { type: "integer" } } })
 * console.log(await check({ count: 2 })) // { ok: true, input: { count: 2 } }
 * console.log(await createCheck(undefined)({ count: 2 }))
 * // { ok: false, issues: [ { path: [], message: 'found input with "count", expected no input' } ] }
 * ```
 */
export function createCheck(schema: AnySchema | undefined): Check {
  if (schema === undefined) return checkNothing
  return isStandardSchema(schema) ? createInputCheck(schema) : createJsonCheck(schema)
}

/** Creates the check of an input. Texts that represent values without a JSON form are converted first. */
function createInputCheck(schema: StandardSchema): Check {
  const check = createStandardCheck(schema)
  let exported: { readonly marked: Keywords | undefined } | undefined
  return (value) => {
    exported ??= { marked: exportMarked(schema) }
    const { marked } = exported
    if (marked === undefined) return check(value)
    return import("./live-values.js").then(({ revive }) => check(revive(marked, value)), toFailedCheck)
  }
}

/**
 * Creates the check of a JSON Schema. Its engine is loaded with the first value, so that pages load faster. Afterwards checks
 * are synchronous.
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
      ? import("../json-schema/json-check.js").then((checks) => check(checks, value), toFailedCheck)
      : check(loaded, value)
}

type JsonChecks = typeof import("../json-schema/json-check.js")

/** The engine, once a value was checked. */
let loaded: JsonChecks | undefined

/**
 * Checks one value against JSON Schema (2020-12), without compiling code. Fills in no defaults; never rejects.
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
 * Creates a synchronous check that uses the host's own pattern engine. Use it for values from the schema's own author, or from
 * this machine's user. Texts of more than 256 characters match no pattern. The check never throws.
 *
 * @returns Rejects only if the table of formats is needed and cannot be loaded.
 * @example
 * ```ts
 * import { loadTrustedCheck } from "@x/agentic-service/adapter"
 *
 * const check = await loadTrustedCheck({ type: "string", pattern: "^[a-z]+$" })
 * console.log(check("milk").ok, check("Milk").ok) // true false
 * ```
 */
export async function loadTrustedCheck(schema: JsonSchema): Promise<(value: unknown) => Checked> {
  const checks = await import("../json-schema/json-check.js")
  return checks.loadTrustedCheck(schema)
}

/** Returns the exported schema if it has marks. A schema without an export can still check values. */
function exportMarked(schema: StandardSchema): Keywords | undefined {
  try {
    const exported = exportSchema(schema, "input")
    return isRecord(exported) && hasMark(exported) ? exported : undefined
  } catch {
    return undefined
  }
}

/**
 * Creates the check of an action's result. A JSON Schema checks the value's JSON form, which its readers get: a date is a text,
 * a map an object, and a property with `undefined` is missing.
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
 * Creates the check of a Standard Schema from its own `validate`, which returns the input.
 *
 * @throws ServiceError `invalid_definition` for a schema that can describe itself but not check values.
 */
function createStandardCheck(schema: StandardSchema): Check {
  const { vendor, validate } = schema["~standard"]
  if (typeof validate !== "function") {
    const found = `found a schema of "${vendor}" without "validate", which cannot check values`
    const effect = "Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(it))"
    const instead = vendor === "effect" ? effect : "a schema that also implements Standard Schema, or JSON Schema"
    throw new ServiceError(`${found}; pass ${instead}`, {
      code: "invalid_definition",
    })
  }
  return (value) => {
    try {
      const result = schema["~standard"].validate(value)
      return "then" in result ? result.then(toChecked, toFailedCheck) : toChecked(result)
    } catch (thrown) {
      return toFailedCheck(thrown)
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
