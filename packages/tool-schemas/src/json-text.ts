import { parseJson } from "@x/base"
import type { Keywords } from "./json-schema.js"
import { mapValue, partsOf, type ValueSite } from "./map-value.js"
import { memberAt, type ValuePath, type Way } from "./way.js"

/** Parses JSON text; other values stay unchanged. */
export const jsonTextWay: Way = {
  restore(sent) {
    const read = typeof sent === "string" ? parseJson(sent) : undefined
    return read === undefined ? sent : read
  },
  locate: (path) => path,
}

/**
 * Creates a way that parses JSON text when a published schema expects an object or a list, because some models send text
 * instead. Any other text stays, and the check rejects it.
 */
export function jsonTextsWay(schema: Keywords): Way {
  const read = (value: unknown, site: ValueSite): unknown => (wantsMore(site.schema, site) ? parse(value) : value)
  return { restore: (sent) => mapValue(schema, sent, read), locate: (path) => path }
}

/** Ends a place at a text that contains the rest of the value. */
export function endAtText(path: ValuePath, sent: unknown): ValuePath {
  let value = sent
  for (const [index, key] of path.entries()) {
    if (typeof value === "string") return path.slice(0, index)
    value = memberAt(value, key)
  }
  return path
}

/** Checks whether a schema accepts an object or a list, but no text. */
function wantsMore(schema: Keywords, { follow }: Pick<ValueSite, "follow">): boolean {
  const { type, anyOf, oneOf } = schema
  if (type !== undefined) {
    const types = [type].flat()
    return types.some((name) => name === "object" || name === "array") && !types.includes("string")
  }
  const kinds = partsOf({ anyOf, oneOf }).map(follow)
  return (
    kinds.some((kind) => wantsMore(kind, { follow: (each) => each })) &&
    kinds.every((kind) => kind["type"] !== undefined && kind["type"] !== "string")
  )
}

function parse(value: unknown): unknown {
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return typeof parsed === "object" && parsed !== null ? parsed : value
}
