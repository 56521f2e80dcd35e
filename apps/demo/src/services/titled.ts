/** The input of an action that only needs a title. */
export const Titled = {
  type: "object",
  properties: { title: { type: "string", minLength: 1, maxLength: 120, description: "One line" } },
  required: ["title"],
  additionalProperties: false,
} as const

/** The output of creating actions. */
export const Created = {
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
} as const
