import type { AnySchema } from "../infer.js"
import { type Check, createCheck } from "./create-check.js"
import { isStandardSchema } from "./export-schema.js"

/**
 * Makes the check of what an action returns. A JSON Schema is asked about the value and, where that does not fit,
 * about what JSON will make of it: a property that is `undefined` is not there, a Date is text.
 */
export function createOutputCheck(schema: AnySchema): Check {
  const check = createCheck(schema)
  if (isStandardSchema(schema)) return check
  return async (value) => {
    const checked = await check(value)
    if (checked.ok) return checked
    const asJson = await check(toJson(value))
    return asJson.ok ? { ok: true, input: value } : checked
  }
}

function toJson(value: unknown): unknown {
  try {
    const text: string | undefined = JSON.stringify(value)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
