import type { JsonSchema } from "@x/agentic-service"
import type { Keywords } from "./keywords/keywords.js"
import { memoise } from "./memoise.js"
import type { ObjectSchema } from "./object-schema.js"
import { publishRoot } from "./publish-root.js"
import type { SchemaSource } from "./schema-source.js"

/** An input schema as it is published, and the way back to the input the action takes. */
export interface PublishedSchema {
  /** What is published: an object at the root, pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** The one property that stands for the whole input, where the author's root was no plain object; else `undefined`. */
  readonly wrapped: string | undefined
  /** Undoes what publishing did to the shape: arguments as clients send them → input as the action takes it. */
  toInput(args: Readonly<Record<string, unknown>>): unknown
}

/**
 * Makes an input schema presentable: JSON Schema 2020-12 with an object at its root, as MCP (2026-07-28, server/tools)
 * asks. `undefined` is no input. The author's schema is only read, and once: the same object gives the same result.
 *
 * @throws SchemaError when it cannot be published, so that its action is left out and the rest served.
 */
export function toToolSchema(schema: JsonSchema | undefined): PublishedSchema {
  if (schema === undefined) return NO_INPUT
  return typeof schema === "object" && schema !== null ? publishOnce(schema) : publish(schema)
}

const NO_INPUT: PublishedSchema = Object.freeze({
  schema: Object.freeze({ type: "object", properties: Object.freeze({}), additionalProperties: false }),
  wrapped: undefined,
  toInput: () => undefined,
})

const publishOnce = memoise<SchemaSource, PublishedSchema>(publish)

function publish(schema: JsonSchema): PublishedSchema {
  const { schema: published, wrapped } = publishRoot(schema, nameByTitle)
  if (wrapped === undefined) return { schema: published, wrapped, toInput: (args) => args }
  return { schema: published, wrapped, toInput: (args) => (Object.hasOwn(args, wrapped) ? args[wrapped] : undefined) }
}

/** Some hosts refuse a property outside `[A-Za-z0-9_.-]{1,64}`. */
function nameByTitle({ title }: Keywords): string {
  const words = typeof title === "string" ? title.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "") : ""
  return words.slice(0, 64) || "value"
}
