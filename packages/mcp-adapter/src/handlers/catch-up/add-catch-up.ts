import type { ToolEntry } from "../../catalogue/entry.js"
import { toText } from "../to-content.js"
import type { ToolResult } from "../to-tool-result.js"
import type { CatchUp } from "./catch-up.js"
import { hasRoom } from "./declare-changes.js"

/**
 * Adds to a result what changed. A structured one gets it as its property `changes`, and so in the text, which is the same
 * as JSON; any other as a text of its own, after the rest.
 */
export function addCatchUp(result: ToolResult, catchUp: CatchUp | undefined, entry: ToolEntry | undefined): ToolResult {
  if (catchUp === undefined) return result
  const { content, structuredContent: structured } = result
  if (structured === undefined || !hasRoom(entry?.definition.outputSchema) || Object.hasOwn(structured, "changes")) {
    return { ...result, content: [...content, toText(catchUp.text)] }
  }
  const structuredContent = { ...structured, changes: catchUp.json }
  // The first block of a structured result is its text, and stays so: older clients read that as JSON.
  return { ...result, content: [toText(JSON.stringify(structuredContent)), ...content.slice(1)], structuredContent }
}
