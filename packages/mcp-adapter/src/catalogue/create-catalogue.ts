import type { AgenticService } from "@x/agentic-service"
import { type Observable, Subject } from "rxjs"
import { comparePaths, formatPath, type Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import { type Cancel, createDeferred, type Host, startTimer } from "../runtime/host.js"
import type { Change } from "./claims.js"
import { createChangeLog, type Delta } from "./diff.js"
import type { LinkEntry, Snapshot, StateEntry, ToolEntry } from "./entry.js"
import type { KnownTool } from "./known-tools.js"
import { type CatalogueLimits, createListing } from "./listing.js"
import type { ReservedNames } from "./naming.js"
import type { Aims } from "./placed-targets.js"
import type { PublishInput } from "./publish-tool.js"
import { createServiceTree } from "./service-tree.js"
import type { Way } from "./way.js"

/** What a graph of services has on offer, kept up to date from its observables. */
export interface Catalogue extends Aims {
  /** The service at the root. */
  readonly service: AgenticService
  /**
   * Takes in as {@link Catalogue.read} does; resolves once every tool of it is published. At the start that is once every map has
   * spoken, too. Resolves after {@link CatalogueLimits.readyWaitMs} whatever is left: a notice follows with the rest.
   */
  ready(): Promise<void>
  /** What is on offer now. Takes in first what the sources have emitted. */
  read(): Snapshot
  /** The revision of what is on offer now. Takes in as {@link Catalogue.read} does, and puts no list together. */
  revision(): number
  /** The tool a name stands for: listed, alias, former and declared names alike. Takes in as {@link Catalogue.read} does. */
  find(name: string): KnownTool | undefined
  /** The visible state behind a URI. */
  state(uri: string): StateEntry | undefined
  /** The visible states of the service that a path leads to, aliases included. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** The tool of the service that a canonical path leads to, by its action key, callable or declared. */
  toolAt(path: Path, key: string): ToolEntry | undefined
  /** The things on the way of a path of links as they are now; `undefined` where it leads nowhere. */
  way(path: Path): Way | undefined
  /** The URI of a state, whether there is one or not. */
  readonly stateUri: (path: Path, key: string) => string
  /** The link with that path, of which all but the last key is a canonical path. */
  link(path: Path): LinkEntry | undefined
  /** Publishes the service again as what stands at `path`. Only for a catalogue that is {@link CatalogueOptions.alone}. */
  moveTo(path: Path): void
  /** The net change after a revision; `undefined` when that is too long ago. */
  since(revision: number): Omit<Delta, "revision"> | undefined
  /** Each change as it is taken in, whether by a reader or at the end of a task. Hot, synchronous. */
  readonly deltas: Observable<Delta>
  /** The end of each task in which something was emitted, after its last delta. Hot, synchronous. */
  readonly settled: Observable<void>
  /** {@link KnownList.read}, after taking in as {@link Catalogue.read} does. */
  known(): readonly ToolEntry[]
  /** Each change of what is known, as it is taken in, after the delta that comes with it. Hot, synchronous. */
  readonly knownChanges: Observable<ReadonlyMap<string, Change<ToolEntry>>>
  /** Lets go of every service, and closes none; idempotent. The last snapshot stays readable. */
  close(): void
}

/** What a catalogue needs. */
interface CatalogueOptions {
  /** The service at the root. */
  readonly service: AgenticService
  /** Leaves out whatever the service links to, and says where in a larger graph it stands. Default: links are followed. */
  readonly alone?: Path | undefined
  /** Makes the tool names. */
  readonly toolName: ToolNamer
  /** The names of the adapter's own tools, which no action is listed under. */
  readonly reserved: ReservedNames
  /** Publishes the input schemas. */
  readonly publishInput: PublishInput
  /** Makes the resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** How much is taken in. */
  readonly limits: CatalogueLimits
}

/** How many changes are remembered for {@link Catalogue.since}, and how many former names. */
const MEMORY = 5_000

/** Subscribes to the service and everything linked from it, until {@link Catalogue.close}. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  const deltas = new Subject<Delta>()
  const settled = new Subject<void>()
  const knownChanges = new Subject<ReadonlyMap<string, Change<ToolEntry>>>()
  const log = createChangeLog(MEMORY)
  let revision = 0
  const onReserved = (): void => intake.emitted()
  const listing = createListing({ ...options, derive: () => tree.names(), memory: MEMORY, onReserved })
  const takeIn = (): void => {
    tree.update()
    const delta = listing.takeDelta()
    if (delta !== undefined) {
      revision = delta.revision
      log.add(delta)
      deltas.next(delta)
    }
    const known = listing.known.takeChanges()
    if (known.size > 0) knownChanges.next(known)
    readiness.check()
  }
  const intake = createIntake({ ...options, takeIn, onSettled: () => settled.next() })
  const tree = createServiceTree({ ...options, listing, onEmit: intake.emitted })
  const readiness = createReadiness({ ...options, silent: tree.silent, unfinished: tree.unfinished })
  const fresh = <Result>(answer: () => Result): Result => {
    intake.flush()
    return answer()
  }
  let path = options.alone ?? []
  intake.flush()

  return {
    service: options.service,
    ready: () => fresh(readiness.wait),
    read: () => fresh(listing.snapshot),
    revision: () => fresh(() => revision),
    find: (name) => fresh(() => listing.known.find(name)),
    state: (uri) => fresh(() => listing.states.get(uri)),
    statesAt: (path) => fresh(() => tree.statesAt(path)),
    way: (path) => fresh(() => tree.way(path)),
    toolAt: (path, key) => fresh(() => tree.toolAt(path, key)),
    ...tree.aims,
    stateUri: options.stateUri,
    link: (path) => fresh(() => listing.links.get(formatPath(path))),
    moveTo(to) {
      if (comparePaths(path, to) === 0) return
      path = to
      tree.moveTo(to)
      intake.emitted()
    },
    since: (revision) => fresh(() => log.since(revision)),
    deltas: deltas.asObservable(),
    settled: settled.asObservable(),
    known: () => fresh(listing.known.read),
    knownChanges: knownChanges.asObservable(),
    close() {
      for (const part of [intake, readiness, listing, tree]) part.close()
      for (const subject of [deltas, knownChanges, settled]) subject.complete()
    },
  }
}

/** Decides when what was emitted is taken in: when somebody reads, and at the end of the task at the latest. */
interface Intake {
  /** Notes an emission. */
  readonly emitted: () => void
  /** Takes in what was emitted. Within itself it does nothing: a source that reads us while we read it gets what we have. */
  flush(): void
  /** Takes nothing in any more. */
  close(): void
}

/** What an intake needs. */
interface IntakeOptions {
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Takes in. */
  readonly takeIn: () => void
  /** Called at the end of each task in which something was emitted, after the last take-in. */
  readonly onSettled: () => void
}

/** Nothing emitted yet. */
function createIntake({ host, takeIn, onSettled }: IntakeOptions): Intake {
  let cancel: Cancel | undefined
  // True at first: what the sources emitted while they were subscribed to is to be taken in.
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
      const message = "a change could not be taken in; what was known before is served"
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

/** The bounded wait of readers for maps that have not spoken, at the start, and for tools that are not published yet, at any time. */
interface Readiness {
  /** Resolves once nothing is missing, or the wait that has begun is over. */
  wait(): Promise<void>
  /** Looks again whether something is missing still. */
  check(): void
  /** Ends the wait. */
  close(): void
}

/** What readers wait for. */
interface ReadinessOptions {
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** How long to wait. */
  readonly limits: CatalogueLimits
  /** Whether tools are left that could not be published yet. */
  readonly unfinished: () => boolean
  /** The maps that have not spoken, with the service each belongs to. */
  readonly silent: () => Iterable<{ readonly path: Path; readonly map: string }>
}

/** Starts the first wait. */
function createReadiness({ host, limits, silent, unfinished }: ReadinessOptions): Readiness {
  let first = true
  let closed = false
  // Nothing comes or goes but when something is taken in.
  let missing = true
  const isMissing = (): boolean => {
    if (unfinished()) return true
    if (first) for (const _ of silent()) return true
    return false
  }
  const finish = (): void => {
    current?.end()
    current = undefined
    first = false
    missing = isMissing()
  }
  const reportSilent = (): void => {
    for (const { path, map } of silent()) {
      const message = `${map} have not emitted within ${limits.readyWaitMs} ms; the rest is served without them`
      host.report({ code: "waiting", message, path })
    }
  }
  let current: Wait | undefined = startWait(host, limits.readyWaitMs, () => {
    reportSilent()
    finish()
  })
  return {
    wait() {
      if (current === undefined && !closed && missing) current = startWait(host, limits.readyWaitMs, finish)
      return current?.done ?? READY
    },
    check() {
      missing = isMissing()
      if (!missing && current !== undefined) finish()
    },
    close() {
      closed = true
      finish()
    },
  }
}

const READY = Promise.resolve()

interface Wait {
  readonly done: Promise<void>
  end(): void
}

function startWait(host: Host, ms: number, onOver: () => void): Wait {
  const { promise: done, resolve } = createDeferred()
  const cancel = startTimer(host, ms, onOver)
  return {
    done,
    end() {
      cancel()
      resolve()
    },
  }
}
