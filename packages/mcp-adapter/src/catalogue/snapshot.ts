import type { LinkEntry, StateEntry, ToolEntry } from "./entry.js"

/** What is on offer at one revision. Immutable; two reads with no change in between give the same object. */
export interface Snapshot {
  /** Grows with every change of what is listed or of a state's value. */
  readonly revision: number
  /** What can be called, sorted by name. */
  readonly tools: readonly ToolEntry[]
  /** What can be read, sorted by URI. */
  readonly states: readonly StateEntry[]
  /** What can be reached, sorted by path. */
  readonly links: readonly LinkEntry[]
}
