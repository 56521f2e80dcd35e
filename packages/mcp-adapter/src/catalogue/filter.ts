import type { Change } from "./claims.js"
import type { Delta } from "./delta.js"
import type { Entry } from "./entry.js"
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

function filterChanges<Listed extends Entry>(
  changes: ReadonlyMap<string, Change<Listed>>,
  allow: (entry: Entry) => boolean,
): ReadonlyMap<string, Change<Listed>> {
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
