import type { ToolAnnotations } from "../../catalogue/entry.js"

/** What hosts are told of a tool of our own that only looks. */
export const ONLY_READS: ToolAnnotations = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
})
