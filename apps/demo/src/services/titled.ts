/** What an action takes that needs a title and nothing else. */
export const Titled = {
  type: "object",
  properties: { title: { type: "string", minLength: 1, maxLength: 120, description: "One line" } },
  required: ["title"],
  additionalProperties: false,
} as const

/** What an action answers that made something of it. */
export const Created = {
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
} as const
