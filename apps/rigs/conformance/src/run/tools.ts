import { join } from "node:path"

/** Where everything is kept that may be thrown away: the tools, and what they reported last. */
export const CACHE: string = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "conformance")

/** What is installed on demand, by the folder it goes to: too heavy for every `npm test`. */
export const TOOLS = {
  "conformance-0.1": "npm:@modelcontextprotocol/conformance@0.1.16",
  "conformance-0.2": "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "mcp-proxy": "6.7.19",
} as const

/** The folder of an installed tool. */
export function toolFolder(tool: keyof typeof TOOLS): string {
  return join(CACHE, "tools", "node_modules", tool)
}
