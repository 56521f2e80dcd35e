import type { AgenticService, State, States } from "@x/agentic-service"
import { assertSmall } from "./assert-small.js"
import type { StateEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { NodeContext } from "./node-context.js"
import { publishState } from "./publish-state.js"
import { createPublishedMembers, type PublishedMembers } from "./published-members.js"
import { reportBroken } from "./report-broken.js"
import { samePublished } from "./same-published.js"
import { valueChanged } from "./value-changed.js"

/** The state entries made from the states of one service. */
export interface NodeStates {
  /** Brings them in line with a new map. */
  update(states: States): void
  /** Makes them again under the path the place has now. */
  renew(): void
  /** The visible ones, sorted by key. */
  sorted(): readonly StateEntry[]
  /** Takes them all back. */
  close(): void
}

/** No states yet. */
export function createNodeStates(place: Place<AgenticService>, context: NodeContext): NodeStates {
  const members: PublishedMembers<State, StateEntry> = createPublishedMembers<State, StateEntry>({
    publish: (key, state) =>
      assertSmall(
        publishState({
          path: place.path,
          key,
          uri: context.stateUri(place.path, key),
          state,
          current: () => members.member(key),
        }),
        context.limits,
      ),
    same: samePublished,
    onAdd: (entry) => context.states.add(entry),
    onRemove: (entry) => context.states.remove(entry),
    onReplace(entry, before, after) {
      if (valueChanged(before, after)) context.onValue(entry)
    },
    onBroken: (key, cause) => reportBroken(context.report, { kind: "state", path: place.path, key, cause }),
  })
  return {
    update: (states) => members.update(states),
    renew: () => members.renew(),
    sorted: () => [...members.entries()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    close: () => members.clear(),
  }
}
