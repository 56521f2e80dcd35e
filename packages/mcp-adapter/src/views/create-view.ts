import { newThing } from "@x/agentic-service/adapter"
import { Subject, type Subscription } from "rxjs"
import type { Catalogue } from "../catalogue/create-catalogue.js"
import { type CatalogueChange, type Diff, isUnchanged, toDiff } from "../catalogue/diff.js"
import type { LinkEntry, StateEntry, TargetsPart, ToolEntry } from "../catalogue/entry.js"
import type { KnownChange, KnownTool } from "../catalogue/known-tools.js"
import type { Path } from "../names/path.js"
import { type Host, subscribeIn } from "../runtime/host.js"
import {
  type Allow,
  changesFrom,
  filterCatalogueChange,
  filterChanges,
  filterKnown,
  filterSnapshot,
  statesFor,
} from "./allow.js"
import { createListNotices, type ListNotices, type NoticeOptions, TARGETS, toTools } from "./notices.js"
import { createStateUpdates } from "./state-updates.js"
import { createViewTargets, type OwnedTargets } from "./targets.js"
import { createToldValues, type ToldValues } from "./told-values.js"
import type { DiffReader, Notice, Reached, Resolution, View } from "./view.js"
import { createWatches, type Watches } from "./watches.js"

/** Options of a view. */
export interface ViewOptions {
  /** See {@link View.id}. Default: a new one. */
  readonly id?: string
  /** The catalogue. */
  readonly catalogue: Catalogue
  /**
   * Whether the view knows everything that the catalogue has seen. Default: it knows only names that leave the list after the
   * view was created, as if the catalogue had been created with it.
   */
  readonly knowsAll?: boolean
  /** Decides which entries these callers may see. Must always give the same answer for an entry. Default: all. */
  readonly allow?: Allow
  /** Timing of notices. */
  readonly notices: NoticeOptions
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** A {@link View} with its owner's `close`. */
export interface OwnedView extends View {
  /** Completes the notices and releases the catalogue, which lives on. Idempotent. */
  close(): void
}

/** Creates one caller class's view of a catalogue. */
export function createView(options: ViewOptions): OwnedView {
  const { catalogue, allow } = options
  // Flushes, so that earlier emissions are part of the first list and no later change.
  const now = catalogue.turn()
  const from = options.knowsAll === true ? 0 : now
  const notices = new Subject<Notice>()
  const told = createToldValues(catalogue.revision)
  const find = (uri: string): StateEntry | undefined => {
    const entry = catalogue.state(uri)
    return entry && allow?.(entry) === false ? undefined : entry
  }
  const urisOf = (entry: StateEntry): Iterable<string> => watches.urisOf(entry)
  const parts = createParts({ ...options, told, find, urisOf }, (notice) => notices.next(notice))
  const { tools, known, links, states, updates } = parts
  const read = filterSnapshot(allow)
  const readKnown = filterKnown(allow)
  const targets = createTargets(options, parts, () => view)
  const watches = createWatches({ ...updates, find })
  const subscription = followCatalogue({ ...options, from }, { ...parts, told, targets, watches })

  const view: OwnedView = {
    id: options.id ?? newThing(),
    at: [],
    ready: catalogue.ready,
    snapshot() {
      const snapshot = read(catalogue.read())
      tools.read()
      states.read()
      return snapshot
    },
    known() {
      const list = readKnown(catalogue.known(from))
      known.read()
      return list
    },
    peek() {
      const { tools, links } = read(catalogue.read())
      return { tools, links, known: readKnown(catalogue.known(from)), root: catalogue.service }
    },
    nameOf: catalogue.toolName,
    revision: () => catalogue.revision(),
    resolve: (name) => resolve(catalogue.find(name, from), name, allow),
    state: find,
    noteRead(entry, json, client) {
      told.tell(entry, json, client)
      updates.handed(entry)
    },
    noteAll: () => told.noteAll(() => read(catalogue.read()).states),
    statesAt: (path) => statesFor(catalogue.statesAt(path), allow),
    way: catalogue.way,
    toolAt: catalogue.toolAt,
    links() {
      links.read()
      return read(catalogue.read()).links
    },
    serviceAt: (path) => reach(catalogue, path, allow),
    ...createDiffs(options, { tools, states, told }),
    notices: notices.asObservable(),
    settled: catalogue.settled,
    hold: () => () => undefined, // it ends with its adapter and never earlier
    keep: () => undefined,
    targets,
    watch: watches.watch,
    close() {
      subscription.unsubscribe()
      watches.close()
      for (const part of Object.values(parts)) part.close()
      notices.complete()
    },
  }
  return view
}

function createTargets({ catalogue, allow }: ViewOptions, { tools, known }: Parts, view: () => View): OwnedTargets {
  return createViewTargets({
    catalogue,
    view,
    mayKnow: (path) => reach(catalogue, path, allow) !== undefined,
    mayRead: (entry) => allow?.(entry) !== false,
    changed(change) {
      tools.add(change)
      known.add(change)
    },
    read() {
      tools.read()
      known.read()
    },
  })
}

/** Forwards visible changes and ends of tasks. */
function followCatalogue(
  { catalogue, host, allow, from }: ViewOptions & { readonly from: number },
  { told, targets, watches, ...parts }: Parts & Followers,
): Subscription {
  const { tools, known, links, states, updates } = parts
  const subscription = subscribeIn(host.ledger, catalogue.changes, {
    next(all) {
      const change = filterCatalogueChange(all, allow)
      tools.add(change.tools)
      links.add(change.links)
      states.add(change.states)
      told.forgetGone(change.states)
      watches.renew(change)
      for (const entry of updatedStates(change)) for (const uri of watches.urisOf(entry)) updates.changed(uri)
    },
  })
  const addKnown = (changes: ReadonlyMap<string, KnownChange>): void =>
    known.add(filterChanges(changesFrom(changes, from), allow))
  let aimed = false
  const settle = (): void => {
    const before = aimed
    aimed = catalogue.isAimed()
    if (aimed || before) targets.note()
    for (const part of Object.values(parts)) part.settle()
  }
  subscription.add(subscribeIn(host.ledger, catalogue.knownChanges, { next: addKnown }))
  subscription.add(subscribeIn(host.ledger, catalogue.settled, { next: settle }))
  return subscription
}

type Parts = ReturnType<typeof createParts>

/** Other followers of a catalogue's changes. */
interface Followers {
  readonly told: ToldValues
  readonly targets: Pick<OwnedTargets, "note">
  readonly watches: Pick<Watches, "renew" | "urisOf">
}

/** What the notices of each kind need from their view. */
interface PartsOptions {
  /** The values that these callers know. */
  readonly told: ToldValues
  /** Returns the visible state at a URI. */
  readonly find: (uri: string) => StateEntry | undefined
  /** Returns the URIs under which a state may be watched. */
  readonly urisOf: (entry: StateEntry) => Iterable<string>
}

/** Creates the notices of each kind, each with its own timing. */
function createParts(
  { host, told, find, urisOf, notices: { windowMs, flickerMs } }: ViewOptions & PartsOptions,
  tell: (notice: Notice) => void,
) {
  const options = { host, windowMs }
  return {
    tools: createListNotices<ToolEntry | TargetsPart>({ ...options, flickerMs }, (changes) =>
      tell({ kind: "tools", diff: toDiff({ tools: toTools(changes) }), targets: changes.has(TARGETS) }),
    ),
    known: createListNotices<ToolEntry | TargetsPart>(options, (changes) =>
      tell({ kind: "known", diff: toDiff({ tools: toTools(changes) }) }),
    ),
    links: createListNotices<LinkEntry>(options, (links) => tell({ kind: "links", diff: toDiff({ links }) })),
    states: createListNotices<StateEntry>(options, (states) => tell({ kind: "resources", diff: toDiff({ states }) })),
    updates: createStateUpdates({
      ...options,
      told,
      find,
      urisOf,
      deliver: (uri) => tell({ kind: "updated", uri }),
    }),
  }
}

/** Creates readers of the visible changes since a revision. */
function createDiffs(
  { catalogue, allow }: ViewOptions,
  {
    tools,
    states,
    told,
  }: {
    readonly tools: ListNotices<ToolEntry | TargetsPart>
    readonly states: ListNotices<StateEntry>
    readonly told: ToldValues
  },
): Pick<View, "diffSince" | "readSince"> {
  /** Compares states in the order of their changes, until enough differ. */
  const findValues = (all: ReadonlyMap<string, StateEntry>, revision: number, { client, most }: DiffReader) => {
    const found = new Map<string, StateEntry>()
    let rest = all.size
    for (const [uri, entry] of all) {
      if (most !== undefined && found.size >= most) break
      rest -= 1
      if (allow?.(entry) !== false && told.differsSince(entry, revision, client)) found.set(uri, entry)
    }
    return { found, rest }
  }
  const diffSince = (revision: number, reader: DiffReader = {}): Diff | undefined => {
    const changes = catalogue.since(revision)
    if (changes === undefined) return undefined
    const { found, rest } = findValues(changes.values, revision, reader)
    const diff = toDiff({ ...filterCatalogueChange({ ...changes, values: new Map() }, allow), values: found })
    return rest === 0 ? diff : { ...diff, rest }
  }
  return {
    diffSince,
    readSince(revision, reader = {}) {
      const diff = diffSince(revision, reader)
      const appeared = diff?.states.appeared.slice(0, reader.most) ?? []
      for (const entry of [...(diff?.values ?? []), ...appeared]) told.tell(entry, undefined, reader.client)
      if (diff && !isUnchanged(diff.tools)) tools.read()
      if (diff && !isUnchanged(diff.states)) states.read()
      return diff
    },
  }
}

/** Returns states whose newest value a watcher may lack: changed ones, and ones that are visible again. */
function* updatedStates({ states, values }: Pick<CatalogueChange, "states" | "values">): Iterable<StateEntry> {
  for (const { after } of states.values()) if (after !== undefined) yield after
  yield* values.values()
}

function resolve(known: KnownTool | undefined, name: string, allow: Allow): Resolution {
  const latest = known?.latest()
  const entry = latest ?? known?.entry
  if (known === undefined || entry === undefined || allow?.(entry) === false) return { status: "unknown" }
  const action = latest?.current()
  return action === undefined
    ? { status: "unavailable", name, entry, reason: known.reason(), revive: (signal) => known.revive?.(signal) }
    : { status: "available", entry, action }
}

/** Follows a path link by link through current, visible links. The empty path is the root. */
function reach(catalogue: Catalogue, path: Path, allow: Allow): Reached | undefined {
  let reached: Reached = { service: catalogue.service, path: [] }
  for (const key of path) {
    const link = catalogue.link([...reached.path, key])
    if (link === undefined || allow?.(link) === false) return undefined
    reached = { service: link.service, path: link.canonical }
  }
  return reached
}
