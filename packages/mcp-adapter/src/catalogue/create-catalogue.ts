import type { AgenticService } from "@x/agentic-service"
import { type Observable, Subject } from "rxjs"
import { comparePaths, formatPath, type Path } from "../names/path.js"
import type { PlacedState } from "../names/resource-uri.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Cancel, Host } from "../runtime/host.js"
import { type CatalogueChange, createChangeLog } from "./diff.js"
import type { LinkEntry, Snapshot, StateEntry, ToolEntry } from "./entry.js"
import type { KnownChange, KnownTool } from "./known-tools.js"
import { type CatalogueLimits, createListing } from "./listing.js"
import type { ReservedNames } from "./naming.js"
import type { Aims } from "./placed-targets.js"
import type { PublishInput } from "./publish-tool.js"
import { createReadiness, READY } from "./readiness.js"
import { createServiceTree } from "./service-tree.js"
import type { Way } from "./way.js"

/** The tools, states and links of a service graph, kept up to date from its observables. */
export interface Catalogue extends Aims {
  /** The root service. */
  readonly service: AgenticService
  /**
   * Flushes like {@link Catalogue.read}, and resolves once every tool is published and, at the start, every map has emitted.
   * Resolves after {@link CatalogueLimits.readyWaitMs} in any case; a notice announces the rest later.
   */
  ready(): Promise<void>
  /** Returns the current snapshot, after processing everything that the sources have emitted. */
  read(): Snapshot
  /** The current revision. Flushes like {@link Catalogue.read}, but builds no lists. */
  revision(): number
  /**
   * Returns the current turn, for {@link Catalogue.find} and {@link Catalogue.known}: the moment at which a reader begins.
   * Flushes like {@link Catalogue.read}.
   */
  turn(): number
  /**
   * Finds the tool behind a name: listed, alias, former or declared. Flushes like {@link Catalogue.read}.
   *
   * @param from - The turn at which the reader began. It does not know names that left before. Default: the start.
   */
  find(name: string, from?: number): KnownTool | undefined
  /**
   * Returns the visible state at a URI: its own, that of its origin, or one from an alias or a former path of its service's
   * instance.
   */
  state(uri: string): StateEntry | undefined
  /** Returns the visible states of the service at a path, which may be an alias or a former path of its instance. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** Returns a tool by its service's canonical path and its action key, callable or declared. */
  toolAt(path: Path, key: string): ToolEntry | undefined
  /** Returns the service instances along a path of links, or `undefined` when the path leads nowhere. */
  way(path: Path): Way | undefined
  /** Creates a state's URI, even for a missing state. */
  readonly stateUri: (path: Path, key: string) => string
  /** Creates the name that an action of a path and key has, unless another one holds it. */
  readonly toolName: ToolNamer
  /** Returns the link at a path. All keys but the last must be a canonical path. */
  link(path: Path): LinkEntry | undefined
  /**
   * Publishes the root at another path, or another service in its place. Only for a catalogue with
   * {@link CatalogueOptions.alone}.
   */
  moveTo(path: Path, service: AgenticService): void
  /** Returns the net change since a revision, or `undefined` when that is too long ago. */
  since(revision: number): Omit<CatalogueChange, "revision"> | undefined
  /** Every change when processed, by a reader or after a task. Hot, synchronous. */
  readonly changes: Observable<CatalogueChange>
  /** The end of each task with emissions, after its last change. Hot, synchronous. */
  readonly settled: Observable<void>
  /**
   * Returns every known tool, sorted by name: listed, declared or seen. The same array while each name stands for the same tool.
   * Flushes like {@link Catalogue.read}.
   *
   * @param from - See {@link Catalogue.find}.
   */
  known(from?: number): readonly ToolEntry[]
  /** Every change of known tools as it is processed, after the corresponding one of {@link Catalogue.changes}. Hot, synchronous. */
  readonly knownChanges: Observable<ReadonlyMap<string, KnownChange>>
  /** Releases every service and closes none. Idempotent. The last snapshot stays readable. */
  close(): void
}

/** Options of a catalogue. */
interface CatalogueOptions {
  /** The root service. */
  readonly service: AgenticService
  /** The service's path in a larger graph; its own links are then ignored. Default: links are followed. */
  readonly alone?: Path | undefined
  /** Creates tool names. */
  readonly toolName: ToolNamer
  /** Names of the adapter's own tools, under which no action is listed. */
  readonly reserved: ReservedNames
  /** Publishes input schemas. */
  readonly publishInput: PublishInput
  /** Creates resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Parses resource URIs. */
  readonly parseStateUri: (uri: string) => PlacedState | undefined
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Limits of the catalogue. */
  readonly limits: CatalogueLimits
}

/** The maximum of changes remembered for {@link Catalogue.since}, and of former names. */
const MEMORY = 5_000

/** Subscribes to a service and everything linked from it, until {@link Catalogue.close}. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  const changes = new Subject<CatalogueChange>()
  const settled = new Subject<void>()
  const knownChanges = new Subject<ReadonlyMap<string, KnownChange>>()
  const log = createChangeLog(MEMORY)
  let revision = 0
  let complete = false
  const onReserved = (): void => intake.emitted()
  const listing = createListing({ ...options, findDerived: (name) => tree.find(name), memory: MEMORY, onReserved })
  const takeIn = (): void => {
    tree.update()
    const change = listing.takeChange()
    if (change !== undefined) {
      revision = change.revision
      log.add(change)
      changes.next(change)
    }
    const known = listing.known.takeChanges()
    if (known.size > 0) knownChanges.next(known)
    complete = readiness.check()
  }
  const intake = createIntake({ ...options, takeIn, onSettled: () => settled.next() })
  const tree = createServiceTree({ ...options, listing, onEmit: intake.emitted })
  const readiness = createReadiness({ ...options, silent: tree.silent, unfinished: tree.unfinished })
  const stateFrom = (place: PlacedState | undefined): StateEntry | undefined =>
    place && tree.stateAt(place.path, place.key)
  const fresh = <Result>(answer: () => Result): Result => {
    intake.flush()
    return answer()
  }
  let path = options.alone ?? []
  let { service } = options
  intake.flush()

  return {
    get service() {
      return service
    },
    ready: () => fresh(() => (complete ? READY : readiness.wait())),
    read: () => fresh(listing.snapshot),
    revision: () => fresh(() => revision),
    turn: () => fresh(listing.known.turn),
    find: (name, from = 0) => fresh(() => listing.known.find(name, from)),
    state: (uri) => fresh(() => listing.states.get(uri) ?? stateFrom(options.parseStateUri(uri))),
    statesAt: (path) => fresh(() => tree.statesAt(path)),
    way: (path) => fresh(() => tree.way(path)),
    toolAt: (path, key) => fresh(() => tree.toolAt(path, key)),
    ...tree.aims,
    stateUri: options.stateUri,
    toolName: options.toolName,
    link: (path) => fresh(() => listing.links.get(formatPath(path))),
    moveTo(to, other) {
      if (comparePaths(path, to) === 0 && service === other) return
      path = to
      service = other
      tree.moveTo(to, other)
      intake.emitted()
    },
    since: (revision) => fresh(() => log.since(revision)),
    changes: changes.asObservable(),
    settled: settled.asObservable(),
    known: (from = 0) => fresh(() => listing.known.read(from)),
    knownChanges: knownChanges.asObservable(),
    close() {
      for (const part of [intake, readiness, listing, tree]) part.close()
      for (const subject of [changes, knownChanges, settled]) subject.complete()
    },
  }
}

/** Schedules the processing of emissions: when somebody reads, or after the current task. */
interface Intake {
  /** Records an emission. */
  readonly emitted: () => void
  /**
   * Processes recorded emissions. Does nothing when called by itself: a source that reads the catalogue during processing gets
   * the former snapshot.
   */
  flush(): void
  /** Stops processing. */
  close(): void
}

/** Options of an intake. */
interface IntakeOptions {
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Processes emissions. */
  readonly takeIn: () => void
  /** Called at the end of each task with emissions, after their last processing. */
  readonly onSettled: () => void
}

/** Creates an intake. */
function createIntake({ host, takeIn, onSettled }: IntakeOptions): Intake {
  let cancel: Cancel | undefined
  // Initially true, to process emissions from the subscription itself.
  let dirty = true
  let flushing = false
  let closed = false

  const flush = (): void => {
    if (!dirty || flushing || closed) return
    dirty = false
    flushing = true
    try {
      takeIn()
    } catch (cause) {
      const message = "a change could not be processed: the former tools and states are still served"
      host.report({ code: "source_failed", message, cause })
    } finally {
      flushing = false
    }
  }
  const settle = (): void => {
    cancel = undefined
    flush()
    onSettled()
  }
  return {
    emitted() {
      dirty = true
      if (!closed) cancel ??= host.clock.settle(settle)
    },
    flush,
    close() {
      closed = true
      cancel?.()
    },
  }
}
