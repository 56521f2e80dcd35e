import { invalidUsage } from "../cli-error.js"
import type { CommandSite } from "../command/command-site.js"
import type { RunOptions } from "../run-options.js"

/** Refuses to serve where that is switched off. */
export function expectSupported(flag: string, { name }: CommandSite, { mcpSupported = true }: RunOptions): void {
  if (!mcpSupported) throw invalidUsage(`"${flag}" is switched off: "${name}" is no MCP server, only a command`)
}
