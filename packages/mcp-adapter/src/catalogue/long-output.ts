import { memoise, type ObjectSchema } from "@x/tool-schemas"

/** The schema of a handle: what a call answers instead of its value while the work continues. */
const HANDLE: ObjectSchema = Object.freeze({
  type: "object",
  description: "Instead of the result, while the work continues",
  properties: Object.freeze({
    task_id: Object.freeze({ type: "string" }),
    status: Object.freeze({ type: "string" }),
    next: Object.freeze({ type: "string", description: "How to get the result" }),
  }),
  required: Object.freeze(["task_id", "status", "next"]),
})

/**
 * Publishes the output schema of a long action: its own, or a handle. Its own definitions move to the root, where their
 * references point.
 */
export const toLongOutput: (own: ObjectSchema) => ObjectSchema = memoise((own) => {
  const { $defs, ...rest } = own
  return Object.freeze({
    type: "object",
    anyOf: Object.freeze([Object.freeze(rest), HANDLE]),
    ...($defs !== undefined && { $defs }),
  })
})

/** Returns the two schemas of a long action's published output. Returns `undefined` for any other output. */
export function branchesOf(
  schema: ObjectSchema | undefined,
): readonly [own: ObjectSchema, handle: ObjectSchema] | undefined {
  const anyOf: unknown = schema?.["anyOf"]
  // Only this file writes that schema.
  return Array.isArray(anyOf) && anyOf[1] === HANDLE ? (anyOf as unknown as [ObjectSchema, ObjectSchema]) : undefined
}
