import type { ToolEntry } from "@x/mcp-adapter"

/** What a command line is read against. */
export interface CommandSite {
  /** What the command is called. */
  readonly name: string
  /** What `--version` prints. */
  readonly version: string
  /** What it is for; may be empty. */
  readonly description: string
  /** The actions that can be called now. */
  readonly tools: readonly ToolEntry[]
  /** The action that runs when none is named. */
  readonly primary: ToolEntry | undefined
  /** Finds an action that is known by another word than its listed name, or cannot be called now. */
  find(word: string): ToolEntry | undefined
}
