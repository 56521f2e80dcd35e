import type { ContentBlock } from "@modelcontextprotocol/client"

/** Returns the text of a tool's answer, as a model gets it. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
}
