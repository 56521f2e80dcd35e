import { memoise, type ObjectSchema } from "@x/tool-schemas"
import type { ToolDefinition } from "../catalogue/entry.js"
import { branchesOf } from "../catalogue/long-output.js"

/**
 * Adds an optional property `changes` to a published output schema, so that structured results can report changes too.
 * Definitions without an output schema, or without room in it, stay as they are. Equal objects give the same result.
 */
export const declareChanges: (definition: ToolDefinition) => ToolDefinition = memoise((definition) => {
  const { outputSchema } = definition
  if (!hasRoom(outputSchema)) return definition
  const branches = branchesOf(outputSchema)
  const declared = branches ? { ...outputSchema, anyOf: branches.map(addChanges) } : addChanges(outputSchema)
  return Object.freeze({ ...definition, outputSchema: Object.freeze(declared) })
})

function addChanges(schema: ObjectSchema): ObjectSchema {
  const properties = Object.freeze({ ...Object(schema["properties"]), changes })
  return Object.freeze({ ...schema, properties })
}

/**
 * Checks whether `changes` fits beside the author's properties. It does not when a property of that name exists, or when a rule
 * for all properties would apply to it. The schemas of a union or an intersection at the root may contain such a rule.
 */
export function hasRoom(schema: ObjectSchema | undefined): schema is ObjectSchema {
  const [own = schema] = branchesOf(schema) ?? []
  if (own === undefined || RULES_FOR_ALL.some((keyword) => keyword in own)) return false
  return !Object.hasOwn(Object(own["properties"]), "changes")
}

const RULES_FOR_ALL = [
  ...["patternProperties", "propertyNames", "maxProperties"],
  ...["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "dependentSchemas"],
]

/** The contents depend on the changes, but some clients ignore properties without a type. */
const changes = Object.freeze({ type: "object", description: "What changed in the application since the call began" })
