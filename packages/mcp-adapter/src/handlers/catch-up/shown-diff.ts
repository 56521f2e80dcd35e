import { type Diff, isUnchanged } from "../../catalogue/diff.js"
import type { View } from "../../catalogue/view.js"
import type { StateMode } from "../../exposures/state-mode.js"

/** What changed, as far as the client is shown such things: with states left out, there are none in it. */
export function toShownDiff(diff: Diff, states: StateMode): Diff {
  return states === "omit" ? { ...diff, states: nothing, values: [] } : diff
}

/** Whether something that the client is shown has changed since a revision; `true` where that is too long ago to tell. */
export function hasChanged(view: View, revision: number, states: StateMode): boolean {
  const diff = view.diffSince(revision)
  return diff === undefined || !isEmpty(toShownDiff(diff, states))
}

/** Whether nothing changed. */
export function isEmpty({ tools, states, links, values }: Diff): boolean {
  return values.length === 0 && [tools, states, links].every(isUnchanged)
}

const nothing = { appeared: [], vanished: [], redefined: [] } as const
