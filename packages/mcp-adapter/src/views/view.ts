import type { Action, AgenticService } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import type { JsonValue } from "@x/tool-schemas/json"
import type { Observable } from "rxjs"
import type { Diff } from "../catalogue/diff.js"
import type { LinkEntry, Snapshot, StateEntry, ToolEntry } from "../catalogue/entry.js"
import type { Way } from "../catalogue/way.js"
import type { Path } from "../names/path.js"

/** The catalogue as one class of callers may see it: filtered, with notices of its own. */
export interface View {
  /**
   * The view's identity, which no other view has: the same for the view of a principal and for those of its links and targets.
   * Compared, never parsed, and never shown to clients.
   */
  readonly id: string
  /** Where its names hold: for the one service that is reached by this path of links, or, where it is empty, for everything. */
  readonly at: Path
  /** The target that it shows, where one was chosen. */
  readonly target?: string
  /**
   * Takes in what the sources have emitted; resolves once every tool of it is published, at the start once every map has spoken, too,
   * and after `limits.readyWaitMs` whatever is left: a notice follows with the rest.
   */
  ready(): Promise<void>
  /** What is on offer now, with everything the sources have emitted. A reader's read: it counts for the notices. */
  snapshot(): Snapshot
  /**
   * Every tool the callers may know of, sorted by name, whether it can be called now or not: declared, listed now, or seen
   * since the start. Who may be called says {@link View.resolve}. A reader's read of this list only; the same array as long
   * as nothing in it changes, whatever becomes available.
   */
  known(): readonly ToolEntry[]
  /** The revision of what is on offer now, for {@link View.diffSince}. Flushes, but is no reader's read. */
  revision(): number
  /** Finds what a name stands for now: listed, alias and former names alike. */
  resolve(name: string): Resolution
  /** Finds a state by URI; hidden, denied and unknown ones alike are `undefined`. */
  state(uri: string): StateEntry | undefined
  /** Notes that a caller was handed the value of a state, and as which JSON: it is told of again once it is another. */
  noteRead(entry: StateEntry, json?: JsonValue, client?: string): void
  /**
   * Notes all states as known that these callers were never told of, as far as they are few and small, so that the next
   * change can be told from an emission of the same. Costs something the first time only.
   */
  noteAll(): void
  /** The states of the service at `path`, walked through the links as they are now, sorted by key; `undefined` when nothing is there. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** What can be reached now, sorted by path; what a snapshot has, without counting as a read of its other lists. */
  links(): readonly LinkEntry[]
  /**
   * The things on the way of a canonical path as they are now; `undefined` where it leads nowhere. Equal ways are the same things,
   * whatever happened in between.
   */
  way(path: Path): Way | undefined
  /** The tool of a canonical path and action key, callable or declared, whether these callers may know of it or not. */
  toolAt(path: Path, key: string): ToolEntry | undefined
  /** The service that links the caller may know of lead to now, by any of its paths; `undefined` when nothing is there. */
  serviceAt(path: Path): Reached | undefined
  /** What changed since `revision`; `undefined` when that is too long ago to tell. Flushes, but is no reader's read. Its values are those of states that are other than these callers know. */
  diffSince(revision: number): Diff | undefined
  /** {@link View.diffSince} for a reader: what it holds counts for the notices, as a snapshot does, and as known. What `client` was handed before is not told once more. */
  readSince(revision: number, client?: string): Diff | undefined
  /** What clients are to be told. Hot; never errors; completes when the view is released. */
  readonly notices: Observable<Notice>
  /** The end of each task in which something was emitted, after everything is taken in. Hot; completes with the notices. */
  readonly settled: Observable<void>
  /**
   * Puts the view's end off, so that a call whose answer is still being put together can be answered: a view of one linked
   * service ends where its path leads nowhere any more.
   *
   * @returns Takes that back; idempotent.
   */
  hold(): () => void
  /**
   * Keeps the view, and so its principal's own services, until a question that is open in it expires: an answer must find the thing
   * that was asked about. Where places run out it may go all the same, and the question is put again.
   *
   * @param ms - From now, in milliseconds.
   */
  keep(ms: number): void
  /** Where the work of its services can be done. */
  readonly targets: ViewTargets
  /** Counts a reader as interested in the values behind `uris`, until the returned function is called. */
  watch(uris: readonly string[] | "all"): () => void
}

/** Where the work of services can be done, as far as the callers of a view may know of them. */
export interface ViewTargets {
  /** Whether there is a service that could have several; a caller may name one only then. */
  any(): boolean
  /** The keys to choose from, of all services, sorted; the same array as long as they are the same, and none where there is no choice. A reader's read. */
  keys(): readonly string[]
  /** Those that are there of services at or below a path, to be shown to a caller: their titles are what applications say. */
  choices(path: Path): readonly TargetChoice[]
  /** What the view is to whoever chose one; `undefined` where it is not there. */
  at(key: string): AimedView | undefined
}

/** One to choose from. */
export interface TargetChoice {
  /** What it is chosen by. */
  readonly target: string
  /** What people know it by. */
  readonly title: string
  /** Whether it answers where none is chosen. */
  readonly front: boolean
}

/** A view as one target shows it. */
export interface AimedView {
  /** The path of the service whose target it is. */
  readonly path: Path
  /** The view: its tools and states are those of the target, where they are at or below that path; there are no others. */
  readonly view: View
}

/** Where a path of links leads. */
export interface Reached {
  /** The service that is there. */
  readonly service: AgenticService
  /** Its canonical path. */
  readonly path: Path
}

/** What a name stands for. */
export type Resolution =
  | {
      /** It can be called now. */
      readonly status: "available"
      /** What is published of it; for an alias or a former name, under the name it has now. */
      readonly entry: ToolEntry
      /** What a call runs. */
      readonly action: Action
    }
  | {
      /** It is known and cannot be called now. */
      readonly status: "unavailable"
      /** The name that was asked for. */
      readonly name: string
      /** What it would be, or was when it was last seen. */
      readonly entry: ToolEntry
      /** Why it cannot be called, where the service says. */
      readonly reason: string | undefined
      /** Tries to bring it back; absent if nothing can be tried. */
      readonly revive?: (signal: Abortable) => Promise<void> | undefined
    }
  | {
      /** It never existed, or the caller may not know of it. */
      readonly status: "unknown"
    }

/** Something clients are to be told; at most one of a kind (and URI) per notice window. */
export type Notice =
  | {
      /** The list of tools is another. */
      readonly kind: "tools"
      /** How it differs from the one of the last such notice. */
      readonly diff: Diff
      /** Whether there are other targets to choose from, too. */
      readonly targets: boolean
    }
  | {
      /** The list of known tools is another; not told when only what can be called has changed. */
      readonly kind: "known"
      /** How it differs from the one of the last such notice. */
      readonly diff: Diff
    }
  | {
      /** The list of resources is another. */
      readonly kind: "resources"
      /** How it differs from the one of the last such notice. */
      readonly diff: Diff
    }
  | {
      /** A state has another value, or is back. */
      readonly kind: "updated"
      /** Where it is read. */
      readonly uri: string
    }
