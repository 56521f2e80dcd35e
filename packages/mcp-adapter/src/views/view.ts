import type { Action, AgenticService } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import type { JsonValue } from "@x/base"
import type { Observable } from "rxjs"
import type { Diff } from "../catalogue/diff.js"
import type { LinkEntry, Snapshot, StateEntry, ToolEntry } from "../catalogue/entry.js"
import type { Way } from "../catalogue/way.js"
import type { Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"

/** The catalogue as one class of callers may see it: filtered, with its own notices. */
export interface View {
  /**
   * The view's unique identity, shared by a principal's view and those of its links and targets. Compared, never parsed, and
   * never shown to clients.
   */
  readonly id: string
  /** The path of the service that has its names. Empty for the whole graph. */
  readonly at: Path
  /** The shown target, when one was chosen. */
  readonly target?: string
  /**
   * Flushes, and resolves once every tool is published and, at the start, every map has emitted. Resolves after
   * `limits.readyWaitMs` in any case; a notice announces the rest later.
   */
  ready(): Promise<void>
  /**
   * Returns the current entries, including everything that sources have emitted. Counts as a reader's read, which affects
   * notices.
   */
  snapshot(): Snapshot
  /**
   * Returns every visible known tool, sorted by name, callable or not: declared, listed now, or seen since the start.
   * {@link View.resolve} tells which can be called. Counts as a read of this list only. The same array until its contents
   * change, whatever becomes available.
   */
  known(): readonly ToolEntry[]
  /** Returns the lists of {@link View.snapshot} and {@link View.known} without counting as a read of them. */
  peek(): Peek
  /** Creates the name that an action of a path and key has, unless another one holds it. */
  readonly nameOf: ToolNamer
  /** Returns the current revision, for {@link View.diffSince}. Flushes, but does not count as a read. */
  revision(): number
  /** Finds the tool behind a name: listed, alias or former. */
  resolve(name: string): Resolution
  /** Finds a state by URI. Returns `undefined` for hidden, denied and unknown ones. */
  state(uri: string): StateEntry | undefined
  /** Records that a caller received a state's value, and its JSON, so that the next new value is announced. */
  noteRead(entry: StateEntry, json?: JsonValue, client?: string): void
  /**
   * Records all values unknown to these callers, within limits, so that a change is distinguished from an emission of an equal
   * value. Costs something the first time only.
   */
  noteAll(): void
  /**
   * Returns the states of the service at `path`, following current links, sorted by key. Returns `undefined` when no service is
   * there.
   */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** Returns the reachable links, sorted by path: those of a snapshot, without counting as a read of its other lists. */
  links(): readonly LinkEntry[]
  /**
   * Returns the service instances along a canonical path, or `undefined` when it leads nowhere. Equal results mean equal
   * instances, whatever happened in between.
   */
  way(path: Path): Way | undefined
  /** Returns a tool by canonical path and action key, callable or declared, even if hidden from these callers. */
  toolAt(path: Path, key: string): ToolEntry | undefined
  /** Returns the service at any visible path, or `undefined` when none is there. */
  serviceAt(path: Path): Reached | undefined
  /**
   * Returns the changes since `revision`, or `undefined` when that is too long ago. Flushes, but does not count as a read. Its
   * values are states whose value these callers do not know.
   */
  diffSince(revision: number, reader?: DiffReader): Diff | undefined
  /** Does the same as {@link View.diffSince} for a reader: the result counts as a read, and its values as known. */
  readSince(revision: number, reader?: DiffReader): Diff | undefined
  /** Notices for clients. Hot; never errors; completes when the view is released. */
  readonly notices: Observable<Notice>
  /** The end of each task with emissions, after they are processed. Hot; completes with the notices. */
  readonly settled: Observable<void>
  /**
   * Delays the view's end, so that a running call can be answered: a linked service's view ends when its path leads nowhere.
   *
   * @returns A function that ends the delay; idempotent.
   */
  hold(): () => void
  /**
   * Keeps the view, and so its principal's own services, until an open question expires, because an answer must find the
   * instance that was asked about. The view may still be dropped when places run out; the question is then asked again.
   *
   * @param ms - Milliseconds from now.
   */
  keep(ms: number): void
  /** Targets of the view's services. */
  readonly targets: ViewTargets
  /** Registers a watcher of values at `uris`, until the returned function is called. */
  watch(uris: readonly string[] | "all"): () => void
}

/** A view's current lists. */
export interface Peek extends Pick<Snapshot, "tools" | "links"> {
  /** See {@link View.known}. */
  readonly known: readonly ToolEntry[]
  /** The service at the empty path. */
  readonly root: AgenticService
}

/** A reader of changes. */
export interface DiffReader {
  /** The client that reads: values that it already received are not repeated. Default: no client in particular. */
  readonly client?: string
  /** The number of differing values after which no further state is compared; see {@link Diff.rest}. Default: all are compared. */
  readonly most?: number
}

/** Targets of services, as far as the view's callers can see them. */
export interface ViewTargets {
  /** Whether any service can have several targets. Only then may callers name one. */
  any(): boolean
  /**
   * Returns the targets' keys over all services, sorted. The same array until they change; empty without a choice. Counts as a
   * read.
   */
  keys(): readonly string[]
  /** Returns the targets of services at or below a path, to show to callers. Applications supply their titles. */
  choices(path: Path): readonly TargetChoice[]
  /** Returns the view for a chosen target, or `undefined` when the target is gone. */
  at(key: string): AimedView | undefined
}

/** A target to choose. */
export interface TargetChoice {
  /** The target's key. */
  readonly target: string
  /** The target's display name. */
  readonly title: string
  /** Whether it answers when none is chosen. */
  readonly front: boolean
}

/** A view limited to one target. */
export interface AimedView {
  /** The path of the target's service. */
  readonly path: Path
  /** The view, limited to the target's tools and states at or below that path. */
  readonly view: View
}

/** The destination of a path. */
export interface Reached {
  /** The service at the path. */
  readonly service: AgenticService
  /** The service's canonical path. */
  readonly path: Path
}

/** The result of looking up a name. */
export type Resolution =
  | {
      /** The tool can be called now. */
      readonly status: "available"
      /** The published entry, under its current name even for an alias or former name. */
      readonly entry: ToolEntry
      /** The action to run. */
      readonly action: Action
    }
  | {
      /** The tool is known but cannot be called now. */
      readonly status: "unavailable"
      /** The requested name. */
      readonly name: string
      /** The tool's declared or last entry. */
      readonly entry: ToolEntry
      /** The service's reason, if any. */
      readonly reason: string | undefined
      /** Tries to bring it back; absent when there is no way to try. */
      readonly revive?: (signal: Abortable) => Promise<void> | undefined
    }
  | {
      /** The name never existed, or is hidden from the caller. */
      readonly status: "unknown"
    }

/** A notice for clients; at most one of a kind (and URI) per notice window. */
export type Notice =
  | {
      /** The list of tools has changed. */
      readonly kind: "tools"
      /** The difference from the list of the last such notice. */
      readonly diff: Diff
      /** Whether the choice of targets has changed, too. */
      readonly targets: boolean
    }
  | {
      /** The list of known tools has changed. Changes of availability alone cause no such notice. */
      readonly kind: "known"
      /** The difference from the list of the last such notice. */
      readonly diff: Diff
    }
  | {
      /** The list of links has changed. */
      readonly kind: "links"
      /** The difference from the list of the last such notice. */
      readonly diff: Diff
    }
  | {
      /** The list of resources has changed. */
      readonly kind: "resources"
      /** The difference from the list of the last such notice. */
      readonly diff: Diff
    }
  | {
      /** A state has a new value or is visible again. */
      readonly kind: "updated"
      /** The state's URI. */
      readonly uri: string
    }
