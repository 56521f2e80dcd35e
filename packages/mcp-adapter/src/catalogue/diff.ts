import { compareText } from "@x/base"
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

/** The net difference between two revisions. Entries that came and went in between are not included. */
export interface Diff {
  /** Changed tools. */
  readonly tools: Changes<ToolEntry>
  /** Changed definitions of states. */
  readonly states: Changes<StateEntry>
  /** Changed links. */
  readonly links: Changes<LinkEntry>
  /** Remaining states with a new value. */
  readonly values: readonly StateEntry[]
  /** The number of further states that may have a new value, which were not compared because the reader shows no more. */
  readonly rest?: number
}

/** Changes of a set of entries. */
export interface Changes<Listed> {
  /** New entries. */
  readonly appeared: readonly Listed[]
  /** Removed entries, in their former form. */
  readonly vanished: readonly Listed[]
  /** Entries with another definition, in their current form. */
  readonly redefined: readonly Listed[]
  /**
   * Entries with an equal definition but another service instance behind them, such as another document under the same link; in
   * their current form. Clients' lists stay equal, so results and events report this, but no `list_changed`.
   */
  readonly replaced: readonly Listed[]
}

/** Checks whether a set of entries stayed the same. */
export function isUnchanged({ appeared, vanished, redefined, replaced }: Changes<unknown>): boolean {
  return appeared.length + vanished.length + redefined.length + replaced.length === 0
}

/** The changes of one flush by key; the raw form of a {@link Diff}. */
export interface CatalogueChange {
  /** The revision after the changes. */
  readonly revision: number
  /** Tools by name whose definition or instance has changed. */
  readonly tools: ReadonlyMap<string, Change<ToolEntry>>
  /** States by URI whose definition or instance has changed. */
  readonly states: ReadonlyMap<string, Change<StateEntry>>
  /** Links by path whose definition or instance has changed. */
  readonly links: ReadonlyMap<string, Change<LinkEntry>>
  /** States by URI with a new value. */
  readonly values: ReadonlyMap<string, StateEntry>
}

/** Changes by key, open for additions. */
export type Pending<Listed> = Map<string, Change<Listed>>

/** Decides whether a transition between two entries is no change. */
type Same = (before: Entry | TargetsPart, after: Entry | TargetsPart) => boolean

/**
 * Adds changes of entries to earlier ones. A key that ends in its former state is removed.
 *
 * @param same - Compares both ends. Default: by published definition and instance.
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

/** Creates a diff of the given parts, sorted by key. Missing parts count as unchanged. */
export function toDiff(parts: Partial<Omit<CatalogueChange, "revision">>): Diff {
  return {
    tools: toChanges(parts.tools ?? new Map()),
    states: toChanges(parts.states ?? new Map()),
    links: toChanges(parts.links ?? new Map()),
    values: toSorted(parts.values ?? new Map<string, StateEntry>()),
  }
}

/** Checks whether a key kept its published definition, regardless of its instance. */
export function keepsDefinition({ before, after }: Change<Entry | TargetsPart>): boolean {
  return before !== undefined && after !== undefined && samePublished(before, after)
}

/** Sorts changes into appeared, vanished, redefined and replaced entries. */
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

/** The memory of recent changes, from which a reader learns what changed since its last look. */
interface ChangeLog {
  /** Adds the newest change. */
  add(change: CatalogueChange): void
  /** Returns the net change since `revision`, or `undefined` when later changes are forgotten already. */
  since(revision: number): Omit<CatalogueChange, "revision"> | undefined
}

/**
 * Creates an empty log.
 *
 * @param limit - The maximum of changed entries over all remembered changes. The newest change is kept at any size.
 */
export function createChangeLog(limit: number): ChangeLog {
  // A forgotten change releases its services immediately. Empty slots are cut off by the hundred, because cutting moves the
  // rest.
  const changes: (CatalogueChange | undefined)[] = []
  let first = 0
  let size = 0
  let forgotten = 0
  return {
    add(change) {
      changes.push(change)
      size += sizeOf(change)
      for (let oldest = changes[first]; oldest && size > limit && first < changes.length - 1; oldest = changes[first]) {
        size -= sizeOf(oldest)
        forgotten = oldest.revision
        changes[first] = undefined
        first += 1
      }
      if (first < 100) return
      changes.splice(0, first)
      first = 0
    },
    since(revision) {
      if (revision < forgotten) return undefined
      const tools: Pending<ToolEntry> = new Map()
      const states: Pending<StateEntry> = new Map()
      const links: Pending<LinkEntry> = new Map()
      const values = new Map<string, StateEntry>()
      // Revisions are consecutive, so counting finds the first change after `revision`.
      for (const change of changes.slice(first + revision - forgotten)) {
        if (change === undefined) continue
        addChanges(tools, change.tools)
        addChanges(states, change.states)
        addChanges(links, change.links)
        for (const [key, entry] of change.values) values.set(key, entry)
      }
      forgetTold(values, states)
      return { tools, states, links, values }
    },
  }
}

/** Removes values of states that appeared, vanished or were redefined, because those changes include the value. */
function forgetTold(values: Map<string, StateEntry>, states: Pending<StateEntry>): void {
  for (const [key, change] of states) if (!keepsDefinition(change)) values.delete(key)
}

function sizeOf(change: CatalogueChange): number {
  return change.tools.size + change.states.size + change.links.size + change.values.size
}
