import { type Change, toChange } from "../catalogue/claims.js"
import type { CatalogueChange } from "../catalogue/diff.js"
import type { Entry, Snapshot, StateEntry, ToolEntry } from "../catalogue/entry.js"
import type { KnownChange } from "../catalogue/known-tools.js"

/** Decides whether a caller may see an entry. Absent when all may. */
export type Allow = ((entry: Entry) => boolean) | undefined

/** Returns the visible states. A service whose states are all denied must look like no service. */
export function statesFor(states: readonly StateEntry[] | undefined, allow: Allow): readonly StateEntry[] | undefined {
  const allowed = states?.filter((entry) => allow?.(entry) !== false)
  return states !== undefined && states.length > 0 && allowed?.length === 0 ? undefined : allowed
}

/** Returns the visible part of a change. Denied entries count as never existing. */
export function filterCatalogueChange<Parts extends Omit<CatalogueChange, "revision">>(
  change: Parts,
  allow: Allow,
): Omit<CatalogueChange, "revision"> {
  if (allow === undefined) return change
  return {
    tools: filterChanges(change.tools, allow),
    states: filterChanges(change.states, allow),
    links: filterChanges(change.links, allow),
    values: new Map([...change.values].filter(([, entry]) => allow(entry))),
  }
}

/** Creates a filter of snapshots. Equal snapshots give the same result. */
export function filterSnapshot(allow: Allow): (snapshot: Snapshot) => Snapshot {
  if (allow === undefined) return (snapshot) => snapshot
  let last: { readonly from: Snapshot; readonly to: Snapshot } | undefined
  return (snapshot) => {
    if (last?.from !== snapshot) {
      const { revision, tools, states, links } = snapshot
      const to = Object.freeze({
        revision,
        tools: filterList(tools, allow),
        states: filterList(states, allow),
        links: filterList(links, allow),
      })
      last = { from: snapshot, to }
    }
    return last.to
  }
}

/** Creates a filter of known tools. Equal lists give the same result. */
export function filterKnown(allow: Allow): (known: readonly ToolEntry[]) => readonly ToolEntry[] {
  if (allow === undefined) return (known) => known
  let last: { readonly from: readonly ToolEntry[]; readonly to: readonly ToolEntry[] } | undefined
  return (known) => {
    if (last?.from !== known) last = { from: known, to: filterList(known, allow) }
    return last.to
  }
}

/** Returns the visible part of a list: the same array if nothing is denied, so that callers share what is made of it. */
function filterList<Listed extends Entry>(
  list: readonly Listed[],
  allow: (entry: Entry) => boolean,
): readonly Listed[] {
  const allowed = list.filter(allow)
  return allowed.length === list.length ? list : allowed
}

/** Returns the changes of known tools that a reader who began at a turn sees; see {@link KnownChange}. */
export function changesFrom(
  changes: ReadonlyMap<string, KnownChange>,
  from: number,
): ReadonlyMap<string, Change<ToolEntry>> {
  const seen = new Map<string, Change<ToolEntry>>()
  for (const [name, { before, after, leftAt = from }] of changes) {
    const known = leftAt < from ? undefined : before
    if (known !== after) seen.set(name, toChange(known, after))
  }
  return seen
}

/** Returns the visible part of changes. A change from or to a denied entry counts as appeared or vanished. */
export function filterChanges<Listed extends Entry>(
  changes: ReadonlyMap<string, Change<Listed>>,
  allow: Allow,
): ReadonlyMap<string, Change<Listed>> {
  if (allow === undefined) return changes
  const allowed = new Map<string, Change<Listed>>()
  for (const [key, { before, after }] of changes) {
    const seen = (entry: Listed | undefined): Listed | undefined => (entry && allow(entry) ? entry : undefined)
    const change = toChange(seen(before), seen(after))
    if (change.before !== undefined || change.after !== undefined) allowed.set(key, change)
  }
  return allowed
}
