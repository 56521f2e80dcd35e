import type { SchemaSource } from "../schema-source.js"
import { defined, type Keywords } from "./keywords.js"

/** Bounds and counts. What JSON cannot carry (`Infinity`) or 2020-12 does not allow (a negative count) is dropped. */
export function limitKeywords(source: SchemaSource): Keywords {
  const limits = Object.entries(LIMITS).map(([keyword, isAllowed]) => {
    const value = source[keyword]
    return [keyword, isAllowed(value) ? value : undefined] as const
  })
  const contains = source["contains"] === undefined ? { minContains: undefined, maxContains: undefined } : {}
  return defined({ ...Object.fromEntries(limits), ...contains, ...requirements(source) })
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

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function requirements({ required, dependentRequired }: SchemaSource): Keywords {
  const dependent =
    typeof dependentRequired === "object" && dependentRequired !== null
      ? Object.fromEntries(Object.entries(dependentRequired).map(([name, names]) => [name, toNames(names)]))
      : undefined
  const names = toNames(required)
  return { required: names.length > 0 ? names : undefined, dependentRequired: dependent }
}

/** Distinct, as the 2020-12 meta-schema wants them. */
function toNames(names: unknown): string[] {
  return Array.isArray(names) ? [...new Set(names.filter((name) => typeof name === "string"))] : []
}
