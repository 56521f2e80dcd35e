import type { JsonValue } from "./json/json-value.js"
import { toJson } from "./json/to-json.js"
import type { JsonSchema } from "./json-schema.js"
import { memoise } from "./memoise.js"
import type { ObjectSchema } from "./object-schema.js"
import { publishRoot } from "./publish-root.js"
import type { SchemaSource } from "./schema-source.js"

/** An output schema as it is published, and the way a value takes to fit it. */
export interface PublishedOutput {
  /** What is published: an object at the root, pure JSON, deeply frozen. */
  readonly schema: ObjectSchema
  /** Shapes a result as the schema says, as pure JSON: itself, or `{ result }` where the root is no plain object. */
  toStructured(value: unknown): { readonly [key: string]: JsonValue }
}

/**
 * Makes an output schema presentable. MCP up to 2025-11-25 takes an object at the root only, so any other root is put
 * under `result`. The author's schema is only read, and once: the same object gives the same result.
 *
 * @throws SchemaError when it cannot be published.
 */
export function toOutputSchema(schema: JsonSchema): PublishedOutput {
  return typeof schema === "object" && schema !== null ? publishOnce(schema) : publish(schema)
}

const publishOnce = memoise<SchemaSource, PublishedOutput>(publish)

function publish(schema: JsonSchema): PublishedOutput {
  const { schema: published, wrapped } = publishRoot(schema, () => "result")
  return {
    schema: published,
    toStructured(value) {
      const json = toJson(value)
      return wrapped === undefined && isRecord(json) ? json : { result: json }
    },
  }
}

function isRecord(json: JsonValue): json is { readonly [key: string]: JsonValue } {
  return typeof json === "object" && json !== null && !Array.isArray(json)
}
