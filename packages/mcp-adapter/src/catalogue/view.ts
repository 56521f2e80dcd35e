import type { Action } from "@x/agentic-service"
import type { Observable } from "rxjs"
import type { Path } from "../names/path.js"
import type { Diff } from "./diff.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import type { Snapshot } from "./snapshot.js"

/** The catalogue as one class of callers may see it: filtered, with notices of its own. */
export interface View {
  /** Resolves once every map has spoken, or the bounded wait for those that have not is over. */
  readonly ready: Promise<void>
  /** What is on offer now, with everything the sources have emitted. A reader's read: it counts for the notices. */
  snapshot(): Snapshot
  /** The revision of what is on offer now, for {@link View.diffSince}. Flushes, but is no reader's read. */
  revision(): number
  /** Finds what a name stands for now: listed, alias and former names alike. */
  resolve(name: string): Resolution
  /** Finds a state by URI; hidden, denied and unknown ones alike are `undefined`. */
  state(uri: string): StateEntry | undefined
  /** The states of the service at `path`, walked through the links as they are now, sorted by key; `undefined` when nothing is there. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** What changed since `revision`; `undefined` when that is too long ago to tell. Flushes like a read. */
  diffSince(revision: number): Diff | undefined
  /** What clients are to be told. Hot; never errors; completes when the view is released. */
  readonly notices: Observable<Notice>
  /** Counts a reader as interested in the values behind `uris`, until the returned function is called. */
  watch(uris: readonly string[] | "all"): () => void
}

/** What a name stands for. */
export type Resolution =
  | { readonly status: "available"; readonly entry: ToolEntry; readonly action: Action }
  | {
      readonly status: "unavailable"
      readonly name: string
      readonly entry: ToolEntry
      readonly reason: string | undefined
    }
  | { readonly status: "unknown" }

/** Something clients are to be told; at most one of a kind (and URI) per notice window. */
export type Notice =
  | { readonly kind: "tools"; readonly diff: Diff }
  | { readonly kind: "resources"; readonly diff: Diff }
  | { readonly kind: "updated"; readonly uri: string }
