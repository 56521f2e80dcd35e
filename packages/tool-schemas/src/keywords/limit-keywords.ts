import { isSource, type SchemaSource } from "../schema-source.js"
import { defined, type Keywords } from "./keywords.js"

/** Bounds and counts. What JSON cannot carry (`Infinity`) or 2020-12 does not allow (a negative count) is dropped. */
export function limitKeywords(source: SchemaSource): Keywords {
  const limits = Object.entries(LIMITS).map(([keyword, isAllowed]) => {
    const value = source[keyword]
    return [keyword, isAllowed(value) ? value : undefined] as const
  })
  const excluded = {
    ...toExclusive(source, "minimum", "exclusiveMinimum"),
    ...toExclusive(source, "maximum", "exclusiveMaximum"),
  }
  const contains = source["contains"] === undefined ? { minContains: undefined, maxContains: undefined } : {}
  return defined({ ...Object.fromEntries(limits), ...excluded, ...contains, ...requirements(source) })
}

const LIMITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  exclusiveMinimum: Number.isFinite,
  exclusiveMaximum: Number.isFinite,
  multipleOf: (value) => typeof value === "number" && Number.isFinite(value) && value > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: (value) => typeof value === "boolean",
}

/** Up to draft 4, and in OpenAPI 3.0, `true` excluded the limit that stands beside it. */
function toExclusive(source: SchemaSource, limit: string, exclusive: string): Keywords {
  return source[exclusive] === true && Number.isFinite(source[limit])
    ? { [limit]: undefined, [exclusive]: source[limit] }
    : {}
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function requirements({ required, dependentRequired, dependencies }: SchemaSource): Keywords {
  // Up to draft 7, `dependencies` said what two keywords say now: lists of names here, schemas elsewhere.
  const listed = Object.entries(isSource(dependencies) ? dependencies : {}).filter(([, names]) => Array.isArray(names))
  const dependent = [...listed, ...Object.entries(isSource(dependentRequired) ? dependentRequired : {})]
  const names = toNames(required)
  return {
    required: names.length > 0 ? names : undefined,
    dependentRequired:
      dependent.length > 0 ? Object.fromEntries(dependent.map(([name, each]) => [name, toNames(each)])) : undefined,
  }
}

/** Distinct, as the 2020-12 meta-schema wants them. */
function toNames(names: unknown): string[] {
  return Array.isArray(names) ? [...new Set(names.filter((name) => typeof name === "string"))] : []
}
