import { compareText } from "@x/tool-schemas/json"
import { type Change, toChange } from "./claims.js"
import {
  type Entry,
  type LinkEntry,
  type StateEntry,
  sameEntry,
  samePublished,
  type TargetsPart,
  type ToolEntry,
} from "./entry.js"

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
  /**
   * There before and now with the same definition, and another thing behind it, such as another document under the same link; as
   * they are now. Clients' lists are the same, so this is told in results and events and by no `list_changed`.
   */
  readonly replaced: readonly Listed[]
}

/** Whether a set of entries did not change. */
export function isUnchanged({ appeared, vanished, redefined, replaced }: Changes<unknown>): boolean {
  return appeared.length + vanished.length + redefined.length + replaced.length === 0
}

/** What one flush changed, by key; the raw form of a {@link Diff}. */
export interface Delta {
  /** The revision after it. */
  readonly revision: number
  /** Tools by name: what is published of them, or the thing behind them, is another. */
  readonly tools: ReadonlyMap<string, Change<ToolEntry>>
  /** States by URI, as definitions; compared as tools are. */
  readonly states: ReadonlyMap<string, Change<StateEntry>>
  /** Links by path; compared as tools are. */
  readonly links: ReadonlyMap<string, Change<LinkEntry>>
  /** States by URI that have another value. */
  readonly values: ReadonlyMap<string, StateEntry>
}

/** Changes by key that may still be added to. */
export type Pending<Listed> = Map<string, Change<Listed>>

/** Whether two entries are alike enough that going from one to the other is no change. */
type Same = (before: Entry | TargetsPart, after: Entry | TargetsPart) => boolean

/**
 * Adds all changes of one delta to earlier ones. A key that ends where it began is no change.
 *
 * @param same - Compares the two ends. Default: what is published and the thing behind it.
 */
export function addChanges<Listed extends Entry | TargetsPart>(
  pending: Pending<Listed>,
  changes: ReadonlyMap<string, Change<Listed>>,
  same: Same = sameEntry,
): void {
  for (const [key, { before: previous, after }] of changes) {
    const earlier = pending.get(key)
    const before = earlier === undefined ? previous : earlier.before
    if (before === undefined || after === undefined ? before === after : same(before, after)) pending.delete(key)
    else pending.set(key, toChange(before, after))
  }
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

/** Whether a key stayed and is published as before, whatever stands behind it. */
export function keepsDefinition({ before, after }: Change<Entry | TargetsPart>): boolean {
  return before !== undefined && after !== undefined && samePublished(before, after)
}

/** Sorts changes into what appeared, vanished, was redefined and was replaced. */
function toChanges<Listed extends Entry>(changes: ReadonlyMap<string, Change<Listed>>): Changes<Listed> {
  const appeared: Listed[] = []
  const vanished: Listed[] = []
  const redefined: Listed[] = []
  const replaced: Listed[] = []
  for (const { before, after } of toSorted(changes)) {
    if (after === undefined) {
      if (before !== undefined) vanished.push(before)
    } else if (before === undefined) appeared.push(after)
    else if (samePublished(before, after)) replaced.push(after)
    else redefined.push(after)
  }
  return { appeared, vanished, redefined, replaced }
}

function toSorted<Value>(values: ReadonlyMap<string, Value>): Value[] {
  return [...values].sort(([a], [b]) => compareText(a, b)).map(([, value]) => value)
}

/** Remembers the last deltas, so that a reader can be told what changed since it last looked. */
interface ChangeLog {
  /** Adds the newest delta. */
  add(delta: Delta): void
  /** The net change after `revision`; `undefined` when deltas after it are forgotten already. */
  since(revision: number): Omit<Delta, "revision"> | undefined
}

/**
 * An empty log.
 *
 * @param limit - How many changes are remembered, over all deltas; the newest delta is kept whatever its size.
 */
export function createChangeLog(limit: number): ChangeLog {
  // A forgotten one lets go of its services at once; the empty places are cut off by the hundred, since cutting moves the rest.
  const deltas: (Delta | undefined)[] = []
  let first = 0
  let size = 0
  let forgotten = 0
  return {
    add(delta) {
      deltas.push(delta)
      size += sizeOf(delta)
      for (let oldest = deltas[first]; oldest && size > limit && first < deltas.length - 1; oldest = deltas[first]) {
        size -= sizeOf(oldest)
        forgotten = oldest.revision
        deltas[first] = undefined
        first += 1
      }
      if (first < 100) return
      deltas.splice(0, first)
      first = 0
    },
    since(revision) {
      if (revision < forgotten) return undefined
      const tools: Pending<ToolEntry> = new Map()
      const states: Pending<StateEntry> = new Map()
      const links: Pending<LinkEntry> = new Map()
      const values = new Map<string, StateEntry>()
      // Revisions are consecutive, so the first delta after `revision` is found by counting.
      for (const delta of deltas.slice(first + revision - forgotten)) {
        if (delta === undefined) continue
        addChanges(tools, delta.tools)
        addChanges(states, delta.states)
        addChanges(links, delta.links)
        for (const [key, entry] of delta.values) values.set(key, entry)
      }
      forgetTold(values, states)
      return { tools, states, links, values }
    },
  }
}

/** A state that came, went or was redefined is told as that, and not as a new value besides. */
function forgetTold(values: Map<string, StateEntry>, states: Pending<StateEntry>): void {
  for (const [key, change] of states) if (!keepsDefinition(change)) values.delete(key)
}

function sizeOf(delta: Delta): number {
  return delta.tools.size + delta.states.size + delta.links.size + delta.values.size
}
