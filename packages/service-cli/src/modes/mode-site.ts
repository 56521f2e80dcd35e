import type { McpAdapter, View } from "@x/mcp-adapter"
import type { CommandSite } from "../command/command-site.js"
import type { RunOptions } from "../run-options.js"

/** What a mode works on. */
export interface ModeSite {
  /** The service, ready to be served. */
  readonly adapter: McpAdapter
  /** What everybody sees of it. */
  readonly view: View
  /** The command. */
  readonly command: CommandSite
  /** How it is run. */
  readonly options: RunOptions
}
