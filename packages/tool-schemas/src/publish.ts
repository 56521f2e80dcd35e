import { isRecord, type JsonValue, parseJson, toJson } from "@x/base"
import equal from "fast-deep-equal"
import { deepFreeze } from "./deep-freeze.js"
import type { JsonSchema, Keywords, ObjectSchema } from "./json-schema.js"
import { endAtText, jsonTextsWay } from "./json-text.js"
import { memoise } from "./memoise.js"
import { toObjectRoot } from "./object-root.js"
import { type ParamHeader, type ParamHeaders, readParamHeaders, withoutParamHeaders } from "./param-headers.js"
import type { ProfileName } from "./profile-name.js"
import { profiles } from "./profiles.js"
import type { SchemaChange } from "./shape/shape.js"
import { shapeSchema } from "./shape/shape-schema.js"
import { shareByText } from "./share-by-text.js"
import { locateBy, memberAt, sequence, type ValuePath } from "./way.js"

/** A published input schema, with conversions back to the author's. */
export interface PublishedInput {
  /** The published schema: an object at the root, pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** The property that holds the whole input when the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
  /** Changes made for the profile. */
  readonly changes: readonly SchemaChange[]
  /** Arguments that HTTP clients repeat in headers, by the published `x-mcp-header` annotations. */
  readonly headers: readonly ParamHeader[]
  /** The reason why annotations are not published: one is invalid, or the profile does not support them. */
  readonly headerFault?: string
  /** Converts arguments as clients send them into the input of the author's schema. Never throws. */
  toInput(args: Readonly<Record<string, unknown>>): unknown
  /**
   * Maps a place in the input to the corresponding place in the sent arguments: of a renamed property, a map's entry, or the
   * property that wraps the whole. Places inside JSON text map to the text's own place. Never throws.
   */
  toSentPlace(path: ValuePath, args: Readonly<Record<string, unknown>>): ValuePath
}

/** Options of publishing input schemas. */
export interface PublishOptions {
  /**
   * The clients' requirements: every tested client accepts `portable`; the APIs of those names accept `anthropic`, `openai`,
   * `openai-strict` and `gemini`; `verbatim` is JSON Schema 2020-12 as its author means it. Descriptions carry everything that
   * a profile does not support. Default `portable`.
   */
  readonly profile?: ProfileName
  /** Whether to parse JSON text in place of an object or a list, because some models send text. Default `false`. */
  readonly jsonText?: boolean
  /**
   * Whether `verbatim` keeps a schema of plain JSON with `type: "object"` at its root, and its arguments, completely unchanged.
   * For schemas from an MCP server, whose clients accept them. Default `false`.
   */
  readonly asIs?: boolean
}

/**
 * Publishes an input schema: JSON Schema 2020-12 with an object at its root, as MCP requires (2026-07-28, server/tools), in the
 * form that a kind of client accepts. `undefined` means no input. The author's schema is only read, and once: the same object
 * gives the same result.
 *
 * @throws SchemaError if it cannot be published.
 * @throws RangeError for an unknown profile.
 * @example
 * ```ts
 * import { publish } from "@x/tool-schemas"
 *
 * const labels = { type: "object", additionalProperties: { type: "integer" } }
 * const input = publish({ type: "object", properties: { labels } }, { profile: "openai-strict" })
 * const args = { labels: [{ key: "urgent", value: 1 }] }
 * console.log(input.toInput(args)) // { labels: { urgent: 1 } }
 * console.log(input.toSentPlace(["labels", "urgent"], args)) // [ 'labels', 0, 'value' ]
 * ```
 */
export function publish(schema: JsonSchema | undefined, options: PublishOptions = {}): PublishedInput {
  const { profile = "portable", jsonText = false, asIs = false } = options
  const profileRules = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
  if (profileRules === undefined) {
    throw new RangeError(`found the profile "${profile}", expected one of "${Object.keys(profiles).join('", "')}"`)
  }
  if (schema === undefined) return NO_INPUT
  const how = { profile, jsonText, asIs }
  if (!isRecord(schema)) return publishInput(schema, how)
  const key = `${profile} ${jsonText} ${asIs}`
  const once = known.get(key) ?? memoise(shareByText<Keywords, PublishedInput>((each) => publishInput(each, how)))
  known.set(key, once)
  return once(schema)
}

/** Memoised publishing functions, by profile and options. */
const known = new Map<string, (schema: Keywords) => PublishedInput>()

const NO_INPUT: PublishedInput = Object.freeze({
  schema: Object.freeze({ type: "object", properties: Object.freeze({}), additionalProperties: false }),
  wrapped: undefined,
  changes: [],
  headers: [],
  toInput: () => undefined,
  toSentPlace: (path: ValuePath) => path,
})

function publishInput(schema: JsonSchema, { profile, jsonText, asIs }: Required<PublishOptions>): PublishedInput {
  const whole = asIs && profile === "verbatim" ? copyWhole(schema) : undefined
  if (whole !== undefined) return publishWhole(whole, jsonText)
  // If a profile allows no objects without names, an open object becomes text, under a property.
  const rootOptions = { nameProperty: nameByTitle, maps: profile === "verbatim", open: profiles[profile].maps }
  const { schema: given, wrapped } = toObjectRoot(schema, rootOptions)
  const wanted = readParamHeaders(given)
  const root = wanted.fault === undefined ? given : withoutParamHeaders(given)
  const { schema: shapedRoot, way: shapeWay, changes } = shapeSchema(root, profiles[profile])
  const { schema: shaped, ...headers } = publishHeaders(shapedRoot, wanted, profile)
  const way = sequence([jsonText ? jsonTextsWay(shaped) : undefined, shapeWay])
  const unwrap = (args: unknown): unknown => (wrapped === undefined ? args : memberAt(args, wrapped))
  return {
    schema: shaped,
    wrapped,
    changes,
    ...headers,
    toInput: way === undefined ? unwrap : (args) => unwrap(way.restore(args)),
    toSentPlace: (path, args) =>
      endAtText(locateBy(way, wrapped === undefined ? path : [wrapped, ...path], args), args),
  }
}

/** Reads the headers of a published schema, which may be fewer than its author wanted. */
function publishHeaders(
  schema: ObjectSchema,
  wanted: ParamHeaders,
  profile: ProfileName,
): Pick<PublishedInput, "schema" | "headers" | "headerFault"> {
  if (wanted.fault !== undefined) return { schema, headers: [], headerFault: wanted.fault }
  if (wanted.headers.length === 0) return { schema, headers: wanted.headers }
  const { headers, fault } = readParamHeaders(schema)
  if (fault !== undefined) return { schema: withoutParamHeaders(schema), headers: [], headerFault: fault }
  if (headers.length === wanted.headers.length) return { schema, headers }
  return { schema, headers, headerFault: `the profile "${profile}" does not support "x-mcp-header"` }
}

/** Copies a schema that MCP accepts unchanged: plain JSON, an object at its root. Returns `undefined` for any other. */
function copyWhole(schema: JsonSchema): ObjectSchema | undefined {
  const text = isRecord(schema) && schema["type"] === "object" ? writeJson(schema) : undefined
  // No client carries a lone surrogate.
  const copy = text === undefined || /\\ud[89a-f]/.test(text) ? undefined : parseJson(text)
  return isRecord(copy) && equal(copy, schema) ? { ...copy, type: "object" } : undefined
}

/** Serialises a schema as JSON. Returns `undefined` for a cyclic one, or values without a JSON form. */
function writeJson(schema: object): string | undefined {
  try {
    return JSON.stringify(schema)
  } catch {
    return undefined
  }
}

function publishWhole(whole: ObjectSchema, jsonText: boolean): PublishedInput {
  const { headers, fault } = readParamHeaders(whole)
  const schema = fault === undefined ? deepFreeze(whole) : withoutParamHeaders(whole)
  const way = jsonText ? jsonTextsWay(schema) : undefined
  return {
    schema,
    wrapped: undefined,
    changes: [],
    headers,
    ...(fault !== undefined && { headerFault: fault }),
    toInput: way === undefined ? (args) => args : (args) => way.restore(args),
    toSentPlace: (path, args) => endAtText(locateBy(way, path, args), args),
  }
}

/** Names the wrapping property. Some hosts reject names outside `[A-Za-z0-9_.-]{1,64}`. */
function nameByTitle({ title }: Keywords): string {
  const words = typeof title === "string" ? title.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "") : ""
  return words.slice(0, 64) || "value"
}

/** A published output schema, with the conversion that makes values fit it. */
export interface PublishedOutput {
  /** The published schema: an object at the root, pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** The property `result`, which holds the whole result when the root is no plain object; else `undefined`. */
  readonly wrapped: string | undefined
  /** Shapes a result to fit the schema, as pure JSON: itself, or `{ result }` when the root is no plain object. */
  toStructured(value: unknown): { readonly [key: string]: JsonValue }
}

/**
 * Publishes an output schema: JSON Schema 2020-12 with an object at its root. MCP up to 2025-11-25 requires that, so any other
 * root is wrapped in `result`. The author's schema is only read, and once: the same object gives the same result.
 *
 * @param options - With `asIs`, a schema of plain JSON with `type: "object"` at its root is kept unchanged, whatever is beside
 *   that type. For schemas from an MCP server, whose results fit them. Default `false`.
 * @throws SchemaError if it cannot be published.
 * @example
 * ```ts
 * import { publishOutput } from "@x/tool-schemas"
 *
 * const output = publishOutput({ type: "array", items: { type: "string" } })
 * console.log(output.schema["required"], output.toStructured(["a"])) // [ 'result' ] { result: [ 'a' ] }
 * ```
 */
export function publishOutput(
  schema: JsonSchema,
  { asIs = false }: Pick<PublishOptions, "asIs"> = {},
): PublishedOutput {
  if (!isRecord(schema)) return toOutput(schema)
  return asIs ? wholeOutputOnce(schema) : outputOnce(schema)
}

const outputOnce = memoise(shareByText<Keywords, PublishedOutput>(toOutput))
const wholeOutputOnce = memoise(shareByText<Keywords, PublishedOutput>((schema) => toOutput(schema, copyWhole(schema))))

function toOutput(schema: JsonSchema, whole?: ObjectSchema): PublishedOutput {
  const options = { nameProperty: () => "result", maps: true, open: false }
  const { schema: root, wrapped } = whole ? { schema: whole, wrapped: undefined } : toObjectRoot(schema, options)
  const { headers, fault } = readParamHeaders(root)
  // Results are never repeated in headers.
  const annotated = headers.length > 0 || fault !== undefined
  return {
    schema: annotated ? withoutParamHeaders(root) : deepFreeze(root),
    wrapped,
    toStructured(value) {
      const json = toJson(value)
      return wrapped === undefined && isObject(json) ? json : { result: json }
    },
  }
}

function isObject(json: JsonValue): json is { readonly [key: string]: JsonValue } {
  return isRecord(json)
}
