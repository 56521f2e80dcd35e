import type { Keywords } from "../keywords/keywords.js"
import type { Shape } from "./shape.js"
import type { Site } from "./site.js"
import { brief, describe } from "./words.js"

/** Asks for JSON text, where a profile has no way to say what may be there. What is no JSON is taken as it is. */
export function asJsonText(schema: Keywords, site: Site): Shape {
  site.note("described", "")
  const { title, description, ...rest } = schema
  const words = ["as JSON text", Object.keys(rest).length > 0 ? `its JSON Schema: ${brief(rest)}` : undefined]
  const told = {
    type: "string",
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  }
  return { schema: describe(told, words), restore: parseText, exact: false }
}

/** JSON text becomes what it says; anything else stays what it is. */
function parseText(value: unknown): unknown {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
