import type { ToolEntry } from "./entry.js"

/** A tool that is known, whether it can be called now or not. */
export interface KnownTool {
  /** What it is, or was when it was last seen. */
  readonly entry: ToolEntry
  /** The entry that stands for the same action now, under whatever path; `undefined` while it cannot be called. */
  latest(): ToolEntry | undefined
  /** Why it cannot be called now, where the service says. */
  reason(): string | undefined
}
