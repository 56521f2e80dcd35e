import { isRecord } from "@x/base"
import type { ObjectSchema } from "@x/tool-schemas"

/**
 * Formats an input schema as a short signature, so that models can call tools they have not seen listed:
 * `{ title: string, size?: number }`.
 *
 * @returns At most 200 characters, or `undefined` without arguments.
 */
export function toSignature({ properties, required }: ObjectSchema): string | undefined {
  if (!isRecord(properties)) return undefined
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const parts = Object.entries(properties).map(
    ([key, schema]) => `${toKey(key)}${needed.includes(key) ? "" : "?"}: ${toType(schema)}`,
  )
  if (parts.length === 0) return undefined
  const whole = `{ ${parts.join(", ")} }`
  return whole.length <= longestSignature ? whole : `${whole.slice(0, longestSignature - 3)} …}`
}

function toKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
}

function toType(schema: unknown): string {
  if (!isRecord(schema)) return "any"
  const { type, enum: choices, items } = schema
  if (Array.isArray(choices) && choices.length <= shownChoices)
    return choices.map((one) => JSON.stringify(one)).join(" | ")
  if (type === "array" && isRecord(items) && typeof items["type"] === "string") return `${items["type"]}[]`
  if (Array.isArray(type)) return type.join(" | ")
  return typeof type === "string" ? type : "any"
}

const longestSignature = 200
const shownChoices = 6
