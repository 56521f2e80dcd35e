import type { JsonSchema } from "./json-schema.js"
import type { Keywords } from "./keywords/keywords.js"
import { memoise } from "./memoise.js"
import type { ObjectSchema } from "./object-schema.js"
import { parseTexts } from "./parse-texts.js"
import type { ProfileName } from "./profiles/profile.js"
import { profiles } from "./profiles/profiles.js"
import { publishRoot } from "./publish-root.js"
import type { SchemaSource } from "./schema-source.js"
import { type SchemaChange, sequence } from "./shape/shape.js"
import { shapeSchema } from "./shape/shape-schema.js"

/** An input schema as it is published, and the way back to the input the action takes. */
export interface PublishedSchema {
  /** What is published: an object at the root, pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** The one property that stands for the whole input, where the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
  /** What was done for the profile's sake. */
  readonly changes: readonly SchemaChange[]
  /** Undoes what publishing did to the shape: arguments as clients send them → input as the action takes it. */
  toInput(args: Readonly<Record<string, unknown>>): unknown
}

/** How input schemas are published. */
export interface SchemaOptions {
  /**
   * What the clients take: `portable` is taken by every client that was tried; `anthropic`, `openai`, `openai-strict` and
   * `gemini` by the API of that name; `verbatim` is JSON Schema 2020-12 as the author means it. What a profile has no
   * words for goes into descriptions, with a diagnostic. Default `portable`.
   */
  readonly profile?: ProfileName
  /** Whether JSON text is read where an object or a list was due, as some models write it. Default `false`. */
  readonly jsonText?: boolean
}

/** Publishes input schemas in one way. */
export type PublishInput = (schema: JsonSchema | undefined) => PublishedSchema

/** Publishes input schemas as the options say. */
export function createPublishInput({ profile = "portable", jsonText = false }: SchemaOptions = {}): PublishInput {
  return (schema) => toToolSchema(schema, profile, { jsonText })
}

/**
 * Makes an input schema presentable: JSON Schema 2020-12 with an object at its root, as MCP (2026-07-28, server/tools)
 * asks, in the form that a kind of client takes. `undefined` is no input. The author's schema is only read, and once: the
 * same object gives the same result.
 *
 * @throws SchemaError when it cannot be published, so that its action is left out and the rest served.
 */
export function toToolSchema(
  schema: JsonSchema | undefined,
  profile: ProfileName = "portable",
  { jsonText = false }: Pick<SchemaOptions, "jsonText"> = {},
): PublishedSchema {
  if (schema === undefined) return NO_INPUT
  const { publish, publishOnce } = publishers[profile][jsonText ? "lenient" : "exact"]
  return typeof schema === "object" && schema !== null ? publishOnce(schema) : publish(schema)
}

const NO_INPUT: PublishedSchema = Object.freeze({
  schema: Object.freeze({ type: "object", properties: Object.freeze({}), additionalProperties: false }),
  wrapped: undefined,
  changes: [],
  toInput: () => undefined,
})

interface Publisher {
  publish(schema: JsonSchema): PublishedSchema
  /** The same for the same object. */
  readonly publishOnce: (schema: SchemaSource) => PublishedSchema
}

function createPublisher(profile: ProfileName, jsonText: boolean): Publisher {
  const publish = (schema: JsonSchema): PublishedSchema => {
    const root = publishRoot(schema, nameByTitle, profile === "verbatim" ? "maps" : "no-maps")
    const { schema: shaped, restore, changes } = shapeSchema(root.schema, profiles[profile])
    const { wrapped } = root
    const read = sequence([restore, jsonText ? (args) => parseTexts(root.schema, args) : undefined])
    const unwrap = (args: unknown): unknown => (wrapped === undefined ? args : own(args, wrapped))
    return { schema: shaped, wrapped, changes, toInput: (args) => unwrap(read ? read(args) : args) }
  }
  return { publish, publishOnce: memoise<SchemaSource, PublishedSchema>(publish) }
}

const createPair = (profile: ProfileName) => ({
  exact: createPublisher(profile, false),
  lenient: createPublisher(profile, true),
})

const publishers = {
  portable: createPair("portable"),
  anthropic: createPair("anthropic"),
  openai: createPair("openai"),
  "openai-strict": createPair("openai-strict"),
  gemini: createPair("gemini"),
  verbatim: createPair("verbatim"),
}

function own(args: unknown, name: string): unknown {
  return typeof args === "object" && args !== null && Object.hasOwn(args, name) ? Reflect.get(args, name) : undefined
}

/** Some hosts refuse a property outside `[A-Za-z0-9_.-]{1,64}`. */
function nameByTitle({ title }: Keywords): string {
  const words = typeof title === "string" ? title.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "") : ""
  return words.slice(0, 64) || "value"
}
