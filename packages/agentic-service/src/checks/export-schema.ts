import type { JsonSchema } from "@x/tool-schemas"
import type { AnySchema, StandardSchema } from "../infer.js"
import { hasMethod, memberOf } from "../member-of.js"
import { ServiceError } from "../service-error.js"

/**
 * Gives the JSON Schema (2020-12) of a schema: of what goes in or of what comes out, which differ where a
 * Standard Schema transforms. Throws where there is none, such as for `z.date()`.
 */
export function exportSchema(schema: AnySchema, direction: "input" | "output"): JsonSchema {
  if (isStandardSchema(schema)) return schema["~standard"].jsonSchema[direction]({ target: "draft-2020-12" })
  if (isJsonSchema(schema)) return schema
  throw invalid(`found ${schema === null ? "null" : typeof schema}, expected a JSON Schema or a Standard Schema`)
}

/** Tells a Standard Schema, and refuses one that cannot say what it looks like. */
export function isStandardSchema(schema: AnySchema): schema is StandardSchema {
  const standard = memberOf(schema, "~standard")
  if (standard === undefined) return false
  if (hasMethod(memberOf(standard, "jsonSchema"), "input")) return true
  const vendor = String(memberOf(standard, "vendor"))
  throw invalid(`found a schema of "${vendor}" without JSON Schema; wrap it as its library says, or write JSON Schema`)
}

function isJsonSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === "boolean" || (typeof schema === "object" && schema !== null && !Array.isArray(schema))
}

function invalid(message: string): ServiceError {
  return new ServiceError(message, { code: "invalid_definition" })
}
