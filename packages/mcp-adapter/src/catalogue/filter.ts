import type { Change } from "./claims.js"
import type { Delta } from "./delta.js"
import type { Entry, ToolEntry } from "./entry.js"
import type { Snapshot } from "./snapshot.js"

/** Says whether somebody may know of an entry; everybody may where it is absent. */
export type Allow = ((entry: Entry) => boolean) | undefined

/** The part of a delta that may be known: an entry that may not be is as if it had never come or gone. */
export function filterDelta<Parts extends Omit<Delta, "revision">>(
  delta: Parts,
  allow: Allow,
): Omit<Delta, "revision"> {
  if (allow === undefined) return delta
  return {
    tools: filterChanges(delta.tools, allow),
    states: filterChanges(delta.states, allow),
    links: filterChanges(delta.links, allow),
    values: new Map([...delta.values].filter(([, entry]) => allow(entry))),
  }
}

/** Filters snapshots; the same snapshot gives the same result. */
export function filterSnapshot(allow: Allow): (snapshot: Snapshot) => Snapshot {
  if (allow === undefined) return (snapshot) => snapshot
  let last: { readonly from: Snapshot; readonly to: Snapshot } | undefined
  return (snapshot) => {
    if (last?.from !== snapshot) {
      const { revision, tools, states, links } = snapshot
      const to = Object.freeze({
        revision,
        tools: tools.filter(allow),
        states: states.filter(allow),
        links: links.filter(allow),
      })
      last = { from: snapshot, to }
    }
    return last.to
  }
}

/** Filters lists of known tools; the same list gives the same result. */
export function filterKnown(allow: Allow): (known: readonly ToolEntry[]) => readonly ToolEntry[] {
  if (allow === undefined) return (known) => known
  let last: { readonly from: readonly ToolEntry[]; readonly to: readonly ToolEntry[] } | undefined
  return (known) => {
    if (last?.from !== known) last = { from: known, to: known.filter(allow) }
    return last.to
  }
}

/** The part of the changes that may be known: a change from or to what may not is as if it had come or gone. */
export function filterChanges<Listed extends Entry>(
  changes: ReadonlyMap<string, Change<Listed>>,
  allow: Allow,
): ReadonlyMap<string, Change<Listed>> {
  if (allow === undefined) return changes
  const allowed = new Map<string, Change<Listed>>()
  for (const [key, { before, after }] of changes) {
    const change = {
      ...(before !== undefined && allow(before) && { before }),
      ...(after !== undefined && allow(after) && { after }),
    }
    if (change.before !== undefined || change.after !== undefined) allowed.set(key, change)
  }
  return allowed
}
