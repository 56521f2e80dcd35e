/** A card as agents see it. */
export const CardSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    title: { type: "string" },
    column: { type: "string", description: "The id of its column" },
    notes: { type: "string" },
    comments: { type: "array", items: { type: "string" }, description: "Oldest first" },
  },
  required: ["id", "title", "column", "notes", "comments"],
  additionalProperties: false,
} as const
