import { isRecord, showJson } from "@x/base"
import { deepFreeze } from "./deep-freeze.js"
import type { ObjectSchema } from "./json-schema.js"

/** An argument that HTTP clients repeat in a header, so that intermediaries can use it. */
export interface ParamHeader {
  /** The header's name after `Mcp-Param-`. */
  readonly name: string
  /** Property names from the arguments to the value. */
  readonly path: readonly string[]
  /** The value's type. */
  readonly type: "string" | "integer" | "boolean"
}

/** The `x-mcp-header` annotations of an input schema. */
export interface ParamHeaders {
  /** The requested headers. Empty without annotations, or when any is invalid. */
  readonly headers: readonly ParamHeader[]
  /** The first invalid annotation's fault. */
  readonly fault?: string
}

/**
 * Reads the `x-mcp-header` annotations of an input schema (2026-07-28, Streamable HTTP, custom headers from tool parameters).
 * For an invalid annotation clients must leave out the whole tool, because they could not call it.
 *
 * @example
 * ```ts
 * import { readParamHeaders } from "@x/tool-schemas"
 *
 * const region = { type: "string", "x-mcp-header": "Region" }
 * console.log(readParamHeaders({ type: "object", properties: { region } }).headers[0]?.name) // Region
 * console.log(readParamHeaders({ type: "object", "x-mcp-header": "" }).fault !== undefined) // true
 * ```
 */
export function readParamHeaders(inputSchema: unknown): ParamHeaders {
  const headers = new Map<string, ParamHeader>()
  for (const annotated of findAnnotated(inputSchema)) {
    const found = toHeader(annotated)
    if (typeof found === "string") return { headers: NONE, fault: found }
    const key = found.name.toLowerCase()
    if (headers.has(key)) {
      const name = showJson(found.name, SHOWN)
      return {
        headers: NONE,
        fault: `${placeOf(found.path)} is ${name}, which another argument uses: expected a unique name, ignoring case`,
      }
    }
    headers.set(key, found)
  }
  return headers.size === 0 ? NOTHING : { headers: [...headers.values()] }
}

/** Copies a schema of plain JSON without its `x-mcp-header` annotations. */
export function withoutParamHeaders(schema: ObjectSchema): ObjectSchema {
  const copy: ObjectSchema = structuredClone(schema)
  for (const annotated of findAnnotated(copy)) Reflect.deleteProperty(annotated.schema, HEADER)
  return deepFreeze(copy)
}

const HEADER = "x-mcp-header"
const NONE: readonly never[] = Object.freeze([])
const NOTHING: ParamHeaders = Object.freeze({ headers: NONE })

/** The maximum of shown characters. */
const SHOWN = 100

/** An annotated schema. */
interface Annotated {
  readonly schema: Readonly<Record<string, unknown>>
  /** Keys that lead to it. */
  readonly path: readonly string[]
  /** Whether only `properties` lead to it. */
  readonly reachable: boolean
}

/** Finds every annotated schema, wherever it is. Values and property names that look like annotations do not count. */
function* findAnnotated(schema: unknown, path: readonly string[] = [], reachable = true): Generator<Annotated> {
  if (!isRecord(schema) || path.length > DEEPEST) return
  if (Object.hasOwn(schema, HEADER)) yield { schema, path, reachable }
  const { properties } = schema
  if (isRecord(properties)) {
    for (const [name, below] of Object.entries(properties)) yield* findAnnotated(below, [...path, name], reachable)
  }
  for (const keyword of ELSEWHERE) {
    for (const below of schemasOf(schema[keyword], keyword)) yield* findAnnotated(below, [...path, keyword], false)
  }
}

/** Published schemas are never nested deeper. */
const DEEPEST = 1_000

/** Keywords with subschemas, other than `properties`. */
const ELSEWHERE: readonly string[] = [
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"],
  ...["propertyNames", "patternProperties", "dependentSchemas", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"],
  ...["$defs", "definitions"],
]
const BY_NAME: ReadonlySet<string> = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"])

function schemasOf(given: unknown, keyword: string): readonly unknown[] {
  if (Array.isArray(given)) return given
  if (!isRecord(given)) return NONE
  return BY_NAME.has(keyword) ? Object.values(given) : [given]
}

/** A token of RFC 9110, 5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Reads one annotation. Returns its fault when invalid. */
function toHeader({ schema, path, reachable }: Annotated): ParamHeader | string {
  const { [HEADER]: name, type } = schema
  if (!reachable || path.length === 0) {
    return `${placeOf(path)} is in the wrong place: expected it on a property that is reached through "properties" only`
  }
  if (typeof name !== "string" || !TOKEN.test(name)) {
    return `${placeOf(path)} is ${showJson(name, SHOWN)}: expected a name of letters, digits and hyphens`
  }
  if (type === "string" || type === "integer" || type === "boolean") return { name, path, type }
  return `${placeOf(path)} is on a property of type ${showJson(type ?? null, SHOWN)}: expected "string", "integer" or "boolean"`
}

function placeOf(path: readonly string[]): string {
  const place = path.map((step) => `/${step}`).join("")
  return `"${HEADER}" at ${JSON.stringify(place.slice(0, SHOWN))}`
}
