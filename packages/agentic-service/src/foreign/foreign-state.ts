import type { JsonSchema } from "@x/tool-schemas"
import { isUnchanged } from "../members/is-unchanged.js"
import type { State } from "../service.js"
import { ServiceError } from "../service-error.js"
import { memberOf } from "../sources/member-of.js"

/** Takes a foreign state: `{ schema, value }`, with a description where there is one. */
export function toForeignState(entry: unknown, _key: string, before: State | undefined): State {
  if (typeof entry !== "object" || entry === null) {
    throw new ServiceError(`found ${typeof entry}, expected a state with "schema" and "value"`, {
      code: "invalid_definition",
    })
  }
  const value = memberOf(entry, "value")
  const schema = memberOf(entry, "schema")
  const description = memberOf(entry, "description") ?? memberOf(schema, "description")
  const state: State = {
    schema: isSchema(schema) ? schema : {},
    value,
    ...(typeof description === "string" ? { description } : {}),
  }
  return before && isSame(before, state) ? before : state
}

function isSame(before: State, after: State): boolean {
  const described = before.schema === after.schema && before.description === after.description
  return described && isUnchanged(before.value, after.value)
}

function isSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === "boolean" || (typeof schema === "object" && schema !== null)
}
