import { fromBase64 } from "@x/base"
import { isOfType, type Keywords, mapValue, partsOf, type ValueSite } from "@x/tool-schemas/normalise"
import { MARK } from "./zod-options.js"

/** Converts texts in a value to the dates, whole numbers and files that an exported schema marks. Other texts stay. */
export function revive(schema: Keywords, value: unknown): unknown {
  return mapValue(schema, value, reviveAt)
}

function reviveAt(value: unknown, { schema, follow }: ValueSite): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value
  const kinds = [schema, ...partsOf(schema).map(follow)]
  const marked = kinds.find((kind) => kind[MARK] !== undefined)
  // If an alternative accepts the text itself, it stays.
  if (marked === undefined || kinds.some((kind) => kind[MARK] === undefined && takes(kind, value))) return value
  return REVIVED[String(marked[MARK])]?.(value, marked) ?? value
}

function takes({ type, enum: values, const: constant }: Keywords, value: string | number): boolean {
  const isOne = [type].flat().some((each) => isOfType(value, each))
  return isOne && (constant === undefined || constant === value) && (!Array.isArray(values) || values.includes(value))
}

const REVIVED: Readonly<Record<string, (value: unknown, schema: Keywords) => unknown>> = {
  date: (value) => {
    const date = new Date(String(value))
    return typeof value !== "string" || Number.isNaN(date.getTime()) ? undefined : date
  },
  bigint: (value) => (/^-?\d+$/.test(String(value)) ? BigInt(String(value)) : undefined),
  file: (value, { contentMediaType }) => {
    const [, media = "", text = String(value)] = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(String(value)) ?? []
    const bytes = fromBase64(text)
    const type = media || String(contentMediaType ?? "")
    // A separate copy, because the decoded bytes may lie in a larger buffer.
    return bytes && new File([Uint8Array.from(bytes)], "file", { type })
  },
}
