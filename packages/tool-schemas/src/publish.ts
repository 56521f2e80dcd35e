import equal from "fast-deep-equal"
import { deepFreeze } from "./deep-freeze.js"
import { isRecord, type JsonValue, parseJson } from "./json/json-value.js"
import { toJson } from "./json/to-json.js"
import type { JsonSchema, Keywords, ObjectSchema } from "./json-schema.js"
import { endAtText, jsonTextsWay } from "./json-text.js"
import { ANNOTATIONS } from "./keywords.js"
import { memoise } from "./memoise.js"
import { normaliseSchema, resolveRef, toSource } from "./normalise.js"
import { type ProfileName, profiles } from "./profiles.js"
import { SchemaError } from "./schema-error.js"
import type { SchemaChange } from "./shape/shape.js"
import { shapeSchema } from "./shape/shape-schema.js"
import { locateBy, memberAt, sequence, type ValuePath } from "./way.js"

/** An input schema as it is published, and the ways back to the author's. */
export interface PublishedInput {
  /** What is published: an object at the root, pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** The one property that stands for the whole input, where the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
  /** What was done for the profile's sake. */
  readonly changes: readonly SchemaChange[]
  /** Undoes what publishing did to the shape: arguments as clients send them → input as the author's schema takes it. Never throws. */
  toInput(args: Readonly<Record<string, unknown>>): unknown
  /**
   * Finds the place in the arguments, as they were sent, that a place in the input comes from: of a property that was renamed, an
   * entry of a map, the property that wraps the whole. Within JSON text it is the place of the text. Never throws.
   */
  toSentPlace(path: ValuePath, args: Readonly<Record<string, unknown>>): ValuePath
}

/** How input schemas are published. */
export interface PublishOptions {
  /**
   * What the clients take: `portable` is taken by every client that was tried; `anthropic`, `openai`, `openai-strict` and
   * `gemini` by the API of that name; `verbatim` is JSON Schema 2020-12 as the author means it. What a profile has no
   * words for goes into descriptions. Default `portable`.
   */
  readonly profile?: ProfileName
  /** Whether JSON text is read where an object or a list was due, as some models write it. Default `false`. */
  readonly jsonText?: boolean
  /**
   * Whether `verbatim` changes nothing of a schema that is plain JSON with `type: "object"` at its root, nor of its arguments: for
   * schemas that come from an MCP server, whose clients take them as they are. Default `false`.
   */
  readonly asIs?: boolean
}

/**
 * Makes an input schema presentable: JSON Schema 2020-12 with an object at its root, as MCP (2026-07-28, server/tools)
 * asks, in the form that a kind of client takes. `undefined` is no input. The author's schema is only read, and once: the
 * same object gives the same result.
 *
 * @throws SchemaError when it cannot be published.
 * @throws RangeError for a profile that is none.
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
  const once = known.get(key) ?? memoise<Keywords, PublishedInput>((each) => publishInput(each, how))
  known.set(key, once)
  return once(schema)
}

/** What publishes each schema once, by profile and leniency. */
const known = new Map<string, (schema: Keywords) => PublishedInput>()

const NO_INPUT: PublishedInput = Object.freeze({
  schema: Object.freeze({ type: "object", properties: Object.freeze({}), additionalProperties: false }),
  wrapped: undefined,
  changes: [],
  toInput: () => undefined,
  toSentPlace: (path: ValuePath) => path,
})

function publishInput(schema: JsonSchema, { profile, jsonText, asIs }: Required<PublishOptions>): PublishedInput {
  const whole = asIs && profile === "verbatim" ? copyWhole(schema) : undefined
  if (whole !== undefined) return publishWhole(whole, jsonText)
  // Where an object without names is no object, anything is asked for as text, under a name.
  const rootOptions = { nameProperty: nameByTitle, maps: profile === "verbatim", open: profiles[profile].maps }
  const { schema: root, wrapped } = toObjectRoot(schema, rootOptions)
  const { schema: shaped, way: shapeWay, changes } = shapeSchema(root, profiles[profile])
  const way = sequence([jsonText ? jsonTextsWay(shaped) : undefined, shapeWay])
  const unwrap = (args: unknown): unknown => (wrapped === undefined ? args : memberAt(args, wrapped))
  return {
    schema: shaped,
    wrapped,
    changes,
    toInput: way === undefined ? unwrap : (args) => unwrap(way.restore(args)),
    toSentPlace: (path, args) =>
      endAtText(locateBy(way, wrapped === undefined ? path : [wrapped, ...path], args), args),
  }
}

/** Copies a schema that MCP takes as it is: plain JSON, an object at its root. Returns `undefined` for any other. */
function copyWhole(schema: JsonSchema): ObjectSchema | undefined {
  const text = isRecord(schema) && schema["type"] === "object" ? writeJson(schema) : undefined
  // A lone surrogate is carried by no client.
  const copy = text === undefined || /\\ud[89a-f]/.test(text) ? undefined : parseJson(text)
  return isRecord(copy) && equal(copy, schema) ? { ...copy, type: "object" } : undefined
}

/** Writes a schema as JSON. Returns `undefined` for one that holds itself, or what JSON has no form for. */
function writeJson(schema: object): string | undefined {
  try {
    return JSON.stringify(schema)
  } catch {
    return undefined
  }
}

function publishWhole(whole: ObjectSchema, jsonText: boolean): PublishedInput {
  const schema = deepFreeze(whole)
  const way = jsonText ? jsonTextsWay(schema) : undefined
  return {
    schema,
    wrapped: undefined,
    changes: [],
    toInput: way === undefined ? (args) => args : (args) => way.restore(args),
    toSentPlace: (path, args) => endAtText(locateBy(way, path, args), args),
  }
}

/** Some hosts refuse a property outside `[A-Za-z0-9_.-]{1,64}`. */
function nameByTitle({ title }: Keywords): string {
  const words = typeof title === "string" ? title.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "") : ""
  return words.slice(0, 64) || "value"
}

/** An output schema as it is published, and the way a value takes to fit it. */
export interface PublishedOutput {
  /** What is published: an object at the root, pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** The one property that stands for the whole result, `result`, where the root is no plain object; else `undefined`. */
  readonly wrapped: string | undefined
  /** Shapes a result as the schema says, as pure JSON: itself, or `{ result }` where the root is no plain object. */
  toStructured(value: unknown): { readonly [key: string]: JsonValue }
}

/**
 * Makes an output schema presentable: JSON Schema 2020-12 with an object at its root. MCP up to 2025-11-25 takes nothing else,
 * so any other root is put under `result`. The author's schema is only read, and once: the same object gives the same result.
 *
 * @throws SchemaError when it cannot be published.
 * @example
 * ```ts
 * import { publishOutput } from "@x/tool-schemas"
 *
 * const output = publishOutput({ type: "array", items: { type: "string" } })
 * console.log(output.schema["required"], output.toStructured(["a"])) // [ 'result' ] { result: [ 'a' ] }
 * ```
 */
export function publishOutput(schema: JsonSchema): PublishedOutput {
  return isRecord(schema) ? outputOnce(schema) : toOutput(schema)
}

const outputOnce = memoise<Keywords, PublishedOutput>(toOutput)

function toOutput(schema: JsonSchema): PublishedOutput {
  const { schema: root, wrapped } = toObjectRoot(schema, { nameProperty: () => "result", maps: true, open: false })
  return {
    schema: deepFreeze(root),
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

/** A schema with an object at its root, and how it came by it. */
interface ObjectRoot {
  /** Clean JSON Schema 2020-12, what it refers to in `$defs`. */
  readonly schema: ObjectSchema
  /** The one property that stands for the whole, where the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
}

/** How a root that is no plain object becomes one. */
interface RootOptions {
  /** Names the property that stands for the whole. */
  readonly nameProperty: (body: Keywords) => string
  /** Whether an object that may have any names stays: some hosts close the root, and lose them. */
  readonly maps: boolean
  /** Whether an object of no keywords that check anything (`{}`) is an object that may hold anything; else it may be anything. */
  readonly open: boolean
}

/**
 * Normalises a schema and gives it an object at its root. A plain object stays, also behind a `$ref`; anything else (a list, a
 * choice, a combinator, which vendors refuse at the root) becomes one required property, named by `nameProperty`.
 *
 * @throws SchemaError when it cannot be published.
 */
function toObjectRoot(schema: JsonSchema, { nameProperty, maps, open }: RootOptions): ObjectRoot {
  try {
    const source = toSource(schema)
    const { root: walked, $defs } = normaliseSchema(followRootRef(source), { base: source })
    const body = maps ? walked : withoutOpen(walked)
    const defs = Object.keys($defs).length > 0 ? { $defs } : {}
    const isOpen = open && schema !== true && Object.keys(body).every((keyword) => ANNOTATIONS.includes(keyword))
    if (isOpen || (isPlainObject(body) && (maps || !isMap(body)))) {
      return {
        schema: { type: "object", ...body, properties: body["properties"] ?? {}, ...defs },
        wrapped: undefined,
      }
    }
    const wrapped = nameProperty(body)
    const properties = { [wrapped]: body }
    return {
      schema: { type: "object", properties, required: [wrapped], additionalProperties: false, ...defs },
      wrapped,
    }
  } catch (cause) {
    if (cause instanceof SchemaError) throw cause
    throw new SchemaError("the schema cannot be read: reading it throws", { code: "unreadable", cause })
  }
}

/** What stands beside a `$ref` at the root and says nothing about the value. */
const BESIDE_ROOT_REF: ReadonlySet<string> = new Set([
  "$ref",
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "components",
  "title",
  "description",
])

function followRootRef(source: Keywords): Keywords {
  let root = source
  while (typeof root["$ref"] === "string" && Object.keys(root).every((keyword) => BESIDE_ROOT_REF.has(keyword))) {
    root = toSource(resolveRef(root["$ref"], source))
  }
  return root
}

const BARRED_AT_ROOT = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const"]

function isPlainObject(body: Keywords): boolean {
  const isObject = body["type"] === "object" || (body["type"] === undefined && body["properties"] !== undefined)
  return isObject && !BARRED_AT_ROOT.some((keyword) => keyword in body)
}

/** That anything may stand beside what is named, which is so anyway, makes no map of an object. */
function withoutOpen(body: Keywords): Keywords {
  const { additionalProperties: open, ...rest } = body
  return isRecord(open) && Object.keys(open).length === 0 && body["unevaluatedProperties"] === undefined ? rest : body
}

function isMap({ additionalProperties, patternProperties }: Keywords): boolean {
  return patternProperties !== undefined || isRecord(additionalProperties)
}
