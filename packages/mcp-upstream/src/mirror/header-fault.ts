import { isRecord } from "@x/tool-schemas/json"

// Stands alone: the SDK has the same check, keeps it to itself, and applies it only to lists that it reads by its own schemas.

/**
 * Finds what makes the `x-mcp-header` annotations of an input schema invalid (2026-07-28, Streamable HTTP, schema extension): a
 * client must leave out the whole tool then, since it could not call it.
 *
 * @returns `undefined` if there are none, or all are valid.
 */
export function headerFaultOf(inputSchema: unknown): string | undefined {
  const names = new Set<string>()
  /** `reachable`: whether nothing but `properties` leads here. */
  const visit = (schema: unknown, at: string, reachable: boolean): string | undefined => {
    if (!isRecord(schema)) return undefined
    const own = HEADER in schema ? annotationFault(schema, { at, names, reachable: reachable && at !== "" }) : undefined
    return (
      own ??
      visitAll(schema["properties"], (part, key) => visit(part, `${at}/${key}`, reachable)) ??
      firstFault(ELSEWHERE, (keyword) => {
        const below = (part: unknown): string | undefined => visit(part, `${at}/${keyword}`, false)
        if (Array.isArray(schema[keyword])) return firstFault(schema[keyword], below)
        return BY_NAME.has(keyword) ? visitAll(schema[keyword], below) : below(schema[keyword])
      })
    )
  }
  return visit(inputSchema, "", true)
}

const HEADER = "x-mcp-header"

/** Where a schema stands that is reached in another way than through `properties`. */
const ELSEWHERE = [
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"],
  ...["propertyNames", "patternProperties", "dependentSchemas", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"],
  ...["$defs", "definitions"],
]
const BY_NAME: ReadonlySet<string> = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"])

/** A token of RFC 9110, 5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const TYPES: readonly unknown[] = ["string", "integer", "boolean"]

function annotationFault(
  schema: Readonly<Record<string, unknown>>,
  { at, names, reachable }: { readonly at: string; readonly names: Set<string>; readonly reachable: boolean },
): string | undefined {
  const name = schema[HEADER]
  const found = `"${HEADER}" at ${JSON.stringify(at.slice(0, 100))}`
  if (!reachable) return `${found} is not on a property that "properties" alone lead to`
  if (typeof name !== "string" || !TOKEN.test(name)) return `${found} is no name of a header`
  if (!TYPES.includes(schema["type"])) return `${found} is not on a string, an integer or a boolean`
  if (names.has(name.toLowerCase())) return `${found} has the name of another`
  names.add(name.toLowerCase())
  return undefined
}

function visitAll(parts: unknown, visit: (part: unknown, key: string) => string | undefined): string | undefined {
  return isRecord(parts) ? firstFault(Object.entries(parts), ([key, part]) => visit(part, key)) : undefined
}

function firstFault<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = find(item)
    if (fault !== undefined) return fault
  }
  return undefined
}
