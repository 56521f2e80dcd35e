import type { Change } from "./claims.js"
import type { Changes, Diff } from "./diff.js"
import type { Entry, LinkEntry, StateEntry, ToolEntry } from "./entry.js"
import { samePublished } from "./same-published.js"

/** What one flush changed, by key; the raw form of a {@link Diff}. */
export interface Delta {
  /** The revision after it. */
  readonly revision: number
  /** Tools by name. */
  readonly tools: ReadonlyMap<string, Change<ToolEntry>>
  /** States by URI, as definitions. */
  readonly states: ReadonlyMap<string, Change<StateEntry>>
  /** Links by path. */
  readonly links: ReadonlyMap<string, Change<LinkEntry>>
  /** States by URI that have another value. */
  readonly values: ReadonlyMap<string, StateEntry>
}

/** Changes by key that may still be added to. */
export type Pending<Listed> = Map<string, Change<Listed>>

/** Adds all changes of one delta to earlier ones: what comes to publish the same as where it began is no change. */
export function addChanges<Listed extends Entry>(
  pending: Pending<Listed>,
  changes: ReadonlyMap<string, Change<Listed>>,
): void {
  for (const [key, { before: previous, after }] of changes) {
    const earlier = pending.get(key)
    const before = earlier === undefined ? previous : earlier.before
    if (isNothing(before, after)) pending.delete(key)
    else pending.set(key, { ...(before !== undefined && { before }), ...(after !== undefined && { after }) })
  }
}

function isNothing(before: Entry | undefined, after: Entry | undefined): boolean {
  if (before === undefined || after === undefined) return before === after
  return samePublished(before, after)
}

/** A diff of the given parts, sorted by key; parts left out did not change. */
export function toDiff(parts: Partial<Omit<Delta, "revision">>): Diff {
  return {
    tools: toChanges(parts.tools ?? new Map()),
    states: toChanges(parts.states ?? new Map()),
    links: toChanges(parts.links ?? new Map()),
    values: toSorted(parts.values ?? new Map<string, StateEntry>()),
  }
}

/** Sorts changes into what appeared, vanished and was redefined. */
function toChanges<Listed>(changes: ReadonlyMap<string, Change<Listed>>): Changes<Listed> {
  const appeared: Listed[] = []
  const vanished: Listed[] = []
  const redefined: Listed[] = []
  for (const { before, after } of toSorted(changes)) {
    if (after === undefined) {
      if (before !== undefined) vanished.push(before)
    } else if (before === undefined) appeared.push(after)
    else redefined.push(after)
  }
  return { appeared, vanished, redefined }
}

function toSorted<Value>(values: ReadonlyMap<string, Value>): Value[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
