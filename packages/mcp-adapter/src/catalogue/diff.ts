import type { LinkEntry, StateEntry, ToolEntry } from "./entry.js"

/** What differs between two revisions. Net: what came and went in between is not in it. */
export interface Diff {
  /** The tools. */
  readonly tools: Changes<ToolEntry>
  /** The states, as definitions. */
  readonly states: Changes<StateEntry>
  /** The links. */
  readonly links: Changes<LinkEntry>
  /** The states that stayed and have another value. */
  readonly values: readonly StateEntry[]
}

/** How a set of entries changed. */
export interface Changes<Listed> {
  /** There now and not before. */
  readonly appeared: readonly Listed[]
  /** There before and not now. */
  readonly vanished: readonly Listed[]
  /** There before and now, with another definition; as they are now. */
  readonly redefined: readonly Listed[]
}

/** Whether a set of entries did not change. */
export function isUnchanged({ appeared, vanished, redefined }: Changes<unknown>): boolean {
  return appeared.length + vanished.length + redefined.length === 0
}
