import type { AgenticService } from "@x/agentic-service"
import { type Observable, Subject } from "rxjs"
import type { Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Clock } from "../runtime/clock.js"
import type { Report } from "../runtime/diagnostic.js"
import type { Ledger } from "../runtime/ledger.js"
import type { CatalogueLimits } from "./catalogue-limits.js"
import { createChangeLog } from "./change-log.js"
import type { Delta } from "./delta.js"
import type { StateEntry } from "./entry.js"
import type { KnownTool } from "./known-tool.js"
import { createListing } from "./listing.js"
import { createServiceTree } from "./service-tree.js"
import type { Snapshot } from "./snapshot.js"
import { createWarmUp } from "./warm-up.js"

/** What a graph of services has on offer, kept up to date from its observables. */
export interface Catalogue {
  /** Resolves once every map has spoken, or the bounded wait for those that have not is over. */
  readonly ready: Promise<void>
  /** What is on offer now. Takes in first what the sources have emitted. */
  read(): Snapshot
  /** The tool a name stands for: listed, alias, former and declared names alike. Takes in as {@link Catalogue.read} does. */
  find(name: string): KnownTool | undefined
  /** The visible state behind a URI. */
  state(uri: string): StateEntry | undefined
  /** The visible states of the service that a path leads to, aliases included. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** The net change after a revision; `undefined` when that is too long ago. */
  since(revision: number): Omit<Delta, "revision"> | undefined
  /** Each change as it is taken in, whether by a reader or at the end of a task. Hot, synchronous. */
  readonly deltas: Observable<Delta>
  /** The end of each task in which something was emitted, after its last delta. Hot, synchronous. */
  readonly settled: Observable<void>
  /** Lets go of every service, and closes none; idempotent. The last snapshot stays readable. */
  close(): void
}

/** What a catalogue needs. */
export interface CatalogueOptions {
  /** The service at the root. */
  readonly service: AgenticService
  /** Makes the tool names. */
  readonly toolName: ToolNamer
  /** Makes the resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Time. */
  readonly clock: Clock
  /** Counts what is held. */
  readonly ledger: Ledger
  /** Told what is left out and why. */
  readonly report: Report
  /** How much is taken in. */
  readonly limits: CatalogueLimits
}

/** How many changes are remembered for {@link Catalogue.since}, and how many former names. */
const MEMORY = 5_000

/** Subscribes to the service and everything linked from it, until {@link Catalogue.close}. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { clock, report } = options
  const deltas = new Subject<Delta>()
  const settled = new Subject<void>()
  const log = createChangeLog(MEMORY)
  const listing = createListing(options)
  let cancelSettle: (() => void) | undefined
  let flushing = false
  let closed = false

  // Declared before the tree, because services emit as soon as they are subscribed to.
  const settle = (): void => {
    cancelSettle = undefined
    flush()
    settled.next()
  }
  const onEmit = (): void => {
    if (!closed) cancelSettle ??= clock.settle(settle)
  }
  const tree = createServiceTree({ ...options, listing, onEmit, memory: MEMORY })
  const warmUp = createWarmUp({ ...options, silent: () => tree.silent() })

  const tell = (delta: Delta): void => {
    log.add(delta)
    if (delta.tools.size > 0 || delta.links.size > 0) tree.known.invalidate()
    deltas.next(delta)
  }
  /** Takes in what was emitted. A source that reads us while we read it gets what we have. */
  const flush = (): void => {
    if (flushing || closed) return
    flushing = true
    try {
      tree.update()
      const delta = listing.takeDelta()
      if (delta !== undefined) tell(delta)
    } catch (cause) {
      report({
        code: "source_failed",
        message: "a change could not be taken in; what was known before is served",
        cause,
      })
    } finally {
      flushing = false
    }
    warmUp.check()
  }
  flush()

  return {
    ready: warmUp.done,
    read() {
      flush()
      return listing.snapshot()
    },
    find(name) {
      flush()
      const entry = listing.tools.get(name)
      return entry ? { entry, latest: () => entry, reason: () => undefined } : tree.known.find(name)
    },
    state(uri) {
      flush()
      return listing.states.get(uri)
    },
    statesAt(path) {
      flush()
      return tree.statesAt(path)
    },
    since(revision) {
      flush()
      return log.since(revision)
    },
    deltas: deltas.asObservable(),
    settled: settled.asObservable(),
    close() {
      if (closed) return
      closed = true
      cancelSettle?.()
      warmUp.close()
      tree.close()
      deltas.complete()
      settled.complete()
    },
  }
}
