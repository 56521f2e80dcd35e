import { deepFreeze } from "./deep-freeze.js"
import { isRecord, type JsonValue } from "./json/json-value.js"
import { toJson } from "./json/to-json.js"
import type { JsonSchema, Keywords, ObjectSchema } from "./json-schema.js"
import { endAtText, jsonTextsWay } from "./json-text.js"
import { memoise } from "./memoise.js"
import { type ProfileName, profiles } from "./profiles.js"
import { toObjectRoot } from "./root.js"
import type { SchemaChange } from "./shape/shape.js"
import { shapeSchema } from "./shape/shape-schema.js"
import { locateBy, memberAt, restoreBy, sequence, type ValuePath } from "./way.js"

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
  const { profile = "portable", jsonText = false } = options
  const profileRules = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
  if (profileRules === undefined) {
    throw new RangeError(`found the profile "${profile}", expected one of "${Object.keys(profiles).join('", "')}"`)
  }
  if (schema === undefined) return NO_INPUT
  if (!isRecord(schema)) return publishInput(schema, profile, jsonText)
  const key = `${profile} ${jsonText}`
  const once = known.get(key) ?? memoise<Keywords, PublishedInput>((each) => publishInput(each, profile, jsonText))
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

function publishInput(schema: JsonSchema, profile: ProfileName, jsonText: boolean): PublishedInput {
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
    toInput: (args) => unwrap(restoreBy(way, args)),
    toSentPlace: (path, args) =>
      endAtText(locateBy(way, wrapped === undefined ? path : [wrapped, ...path], args), args),
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
    toStructured(value) {
      const json = toJson(value)
      return wrapped === undefined && isObject(json) ? json : { result: json }
    },
  }
}

function isObject(json: JsonValue): json is { readonly [key: string]: JsonValue } {
  return isRecord(json)
}
