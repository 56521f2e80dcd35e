import type { AgenticService, State } from "@x/agentic-service"
import type { StateDefinition } from "@x/agentic-service/adapter"
import { compareText } from "@x/tool-schemas/json"
import type { Path } from "../names/path.js"
import { type StateEntry, samePublished } from "./entry.js"
import type { Place } from "./graph.js"
import type { NodeContext } from "./node-context.js"
import { assertSmall, reportBroken } from "./publish-tool.js"
import { createPublishedMembers, type MembersChange, type PublishedMembers } from "./published-members.js"

/** The state entries made from the states of one service. */
interface NodeStates {
  /** Takes in what changed of the states. */
  update(change: MembersChange<State>): void
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
      if (mayDiffer(before, after)) context.onValue(entry)
    },
    onBroken: (key, cause) => reportBroken(context.host.report, { kind: "state", path: place.path, key, cause }),
  })
  return {
    update: members.update,
    renew: () => members.renew(),
    sorted: () => [...members.entries()].sort((a, b) => compareText(a.key, b.key)),
    close: () => members.clear(),
  }
}

/** A state, and where it stands. */
interface PublishableState {
  /** The service's canonical path. */
  readonly path: Path
  /** The state's key. */
  readonly key: string
  /** The URI for that path and key. */
  readonly uri: string
  /** What is fixed about the state. */
  readonly state: StateDefinition
  /** Looks the state up in the live map. */
  readonly current: () => State | undefined
}

/** Makes the entry that clients are shown. */
function publishState({ path, key, uri, state, current }: PublishableState): StateEntry {
  const definition = Object.freeze({
    uri,
    name: [...path, key].join("/"),
    ...(state.description !== undefined && { description: state.description }),
    mimeType: state.mediaType ?? "application/json",
  })
  return { kind: "state", uri, path, key, definition, current }
}

/**
 * Whether a state that emitted may have another value. Only what is the same whatever happened to it, a primitive, can be
 * told without encoding; of everything else the views say whether it is another, by what was told of it.
 */
function mayDiffer(before: State, after: State): boolean {
  return before !== after && (typeof after.value === "object" || !Object.is(before.value, after.value))
}
