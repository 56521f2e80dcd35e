import type { JsonSchema } from "@x/tool-schemas"
import type { Checked } from "../service.js"
import { createJsonCheck } from "./json-check.js"

/** Checks one value against JSON Schema (2020-12), without compiling code. Fills nothing in; never throws. */
export function checkJson(schema: JsonSchema, value: unknown): Checked {
  return createJsonCheck(schema)(value)
}
