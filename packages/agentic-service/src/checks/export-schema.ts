import { hasMethod, isRecord, memberOf, toMessage } from "@x/base"
import type { JsonSchema } from "@x/tool-schemas/normalise"
import { SchemaError } from "@x/tool-schemas/schema-error"
import type { AnySchema, StandardSchema } from "../infer.js"
import { ServiceError } from "../service-error.js"
import { zodOptions } from "./zod-options.js"

/**
 * Returns a schema's JSON Schema (2020-12): of its input or its output, which differ for a transforming Standard Schema. zod's
 * dates, files and `bigint` become texts, which {@link revive} converts back.
 *
 * @throws SchemaError if none exists, such as for zod's map.
 * @throws ServiceError `invalid_definition` for anything but a schema, including an object of schemas.
 */
export function exportSchema(schema: AnySchema, direction: "input" | "output"): JsonSchema {
  if (isStandardSchema(schema)) return exportStandard(schema, direction)
  if (!isJsonSchema(schema)) {
    throw invalid(`found ${schema === null ? "null" : typeof schema}, expected a JSON Schema or a Standard Schema`)
  }
  const [first] = Object.entries(schema)
  if (first !== undefined && Object.values(schema).every((each) => memberOf(each, "~standard") !== undefined)) {
    const found = `found an object of schemas: "${first[0]}" is one of "${vendorOf(first[1])}"`
    throw invalid(`${found}, expected one schema: write z.object({ … }), or what your library has for it`)
  }
  return schema
}

function exportStandard(schema: StandardSchema, direction: "input" | "output"): JsonSchema {
  const libraryOptions = optionsOf(schema, direction)
  try {
    return schema["~standard"].jsonSchema[direction]({
      target: "draft-2020-12",
      ...(libraryOptions && { libraryOptions }),
    })
  } catch (cause) {
    const reason = toMessage(cause)
    throw new SchemaError(`JSON Schema cannot express it: ${reason}`, { code: "not_a_schema", cause })
  }
}

/** Returns further options for a schema's library. */
function optionsOf(schema: StandardSchema, direction: "input" | "output"): Record<string, unknown> | undefined {
  if (vendorOf(schema) === "zod") return { ...zodOptions }
  return vendorOf(schema) === "arktype" && direction === "input" ? { fallback: arktypeFallback } : undefined
}

/**
 * By default arktype exports `{}` for values without a JSON form, but rejects every JSON value there, so the export must allow
 * nothing.
 */
const arktypeFallback = {
  date: () => ({ not: {}, description: "a Date, which JSON cannot carry: write string.date.iso.parse" }),
  domain: ({ domain }: { readonly domain: unknown }) => ({
    not: {},
    description: `${domain}, which JSON cannot carry`,
  }),
  unit: ({ unit }: { readonly unit: unknown }) => ({
    not: {},
    description: `${String(unit)}, which JSON cannot carry`,
  }),
  proto: ({ proto }: { readonly proto: unknown }) => ({
    not: {},
    description: `an instance of ${String(memberOf(proto, "name"))}, which JSON cannot carry`,
  }),
}

function vendorOf(schema: unknown): string {
  return String(memberOf(memberOf(schema, "~standard"), "vendor"))
}

/** Checks for a Standard Schema, and rejects one without JSON Schema. */
export function isStandardSchema(schema: AnySchema): schema is StandardSchema {
  const standard = memberOf(schema, "~standard")
  if (standard === undefined) return false
  if (hasMethod(memberOf(standard, "jsonSchema"), "input")) return true
  throw invalid(
    `found a schema of "${vendorOf(schema)}" without JSON Schema; wrap it as its library says, or write JSON Schema`,
  )
}

function isJsonSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === "boolean" || isRecord(schema)
}

function invalid(message: string): ServiceError {
  return new ServiceError(message, { code: "invalid_definition" })
}
