import { parseJson } from "./json/json-value.js"
import type { Keywords } from "./json-schema.js"
import { mapValue, partsOf, type ValueSite } from "./map-value.js"
import { memberAt, type ValuePath, type Way } from "./way.js"

/** JSON text becomes what it says; anything else stays what it is. */
export const jsonTextWay: Way = {
  restore(sent) {
    const read = typeof sent === "string" ? parseJson(sent) : undefined
    return read === undefined ? sent : read
  },
  locate: (path) => path,
}

/**
 * Reads JSON text where a published schema wants an object or a list and a text stands instead, as some models write it; a
 * text that says neither stays, for the check to refuse.
 */
export function jsonTextsWay(schema: Keywords): Way {
  const read = (value: unknown, site: ValueSite): unknown => (wantsMore(site.schema, site) ? parse(value) : value)
  return { restore: (sent) => mapValue(schema, sent, read), locate: (path) => path }
}

/** A place ends at a text, as what is further down is within what the text says. */
export function endAtText(path: ValuePath, sent: unknown): ValuePath {
  let value = sent
  for (const [index, key] of path.entries()) {
    if (typeof value === "string") return path.slice(0, index)
    value = memberAt(value, key)
  }
  return path
}

/** Whether an object or a list may stand there, and no text. */
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
