import { memoise, type ObjectSchema } from "@x/tool-schemas"
import type { ToolDefinition } from "../../catalogue/entry.js"

/**
 * Adds the optional property `changes` to a published output schema, so that what changed fits in a structured result too.
 * A definition without such a schema, or without room in it, stays as it is. The same object gives the same result.
 */
export const declareChanges: (definition: ToolDefinition) => ToolDefinition = memoise((definition) => {
  const { outputSchema } = definition
  if (!hasRoom(outputSchema)) return definition
  const properties = Object.freeze({ ...Object(outputSchema["properties"]), changes })
  return Object.freeze({ ...definition, outputSchema: Object.freeze({ ...outputSchema, properties }) })
})

/**
 * Whether `changes` can stand beside the author's own properties: not where there is one of that name already, nor where a
 * rule for any property would hold for it too.
 */
export function hasRoom(schema: ObjectSchema | undefined): schema is ObjectSchema {
  if (schema === undefined || RULES_FOR_ALL.some((keyword) => keyword in schema)) return false
  return !Object.hasOwn(Object(schema["properties"]), "changes")
}

const RULES_FOR_ALL = ["patternProperties", "propertyNames", "maxProperties"]

/** Of no type: a result may have an undeclared `changes` of its own, which then stays what it is. */
const changes = Object.freeze({ description: "What changed in the application since the call began" })
