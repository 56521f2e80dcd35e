import type { State, StateDefinition } from "@x/agentic-service"
import type { Path } from "../names/path.js"
import type { StateEntry } from "./entry.js"

/** A state, and where it stands. */
export interface PublishableState {
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
export function publishState({ path, key, uri, state, current }: PublishableState): StateEntry {
  const definition = Object.freeze({
    uri,
    name: [...path, key].join("/"),
    ...(state.description !== undefined && { description: state.description }),
    mimeType: state.mediaType ?? "application/json",
  })
  return { kind: "state", uri, path, key, definition, current }
}
