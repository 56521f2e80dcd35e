import type { ContentBlock } from "@modelcontextprotocol/client"

/** The text of a tool's answer, as a model gets it. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
}
