import { join } from "node:path"

/** The cache folder of installed tools and their last reports. */
export const CACHE: string = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "conformance")

/** Packages installed on demand, by folder: too heavy for every `npm test`. */
export const TOOLS = {
  "conformance-0.1": "npm:@modelcontextprotocol/conformance@0.1.16",
  "conformance-0.2": "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "mcp-proxy": "6.7.19",
} as const

/** The folder of an installed tool. */
export function toolFolder(tool: keyof typeof TOOLS): string {
  return join(CACHE, "tools", "node_modules", tool)
}
