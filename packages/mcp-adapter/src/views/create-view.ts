import { newThing } from "@x/agentic-service/adapter"
import { Subject, type Subscription } from "rxjs"
import { type Change, toChange } from "../catalogue/claims.js"
import type { Catalogue } from "../catalogue/create-catalogue.js"
import { type Delta, type Diff, isUnchanged, toDiff } from "../catalogue/diff.js"
import type { Entry, Snapshot, StateEntry, TargetsPart, ToolEntry } from "../catalogue/entry.js"
import type { KnownTool } from "../catalogue/known-tools.js"
import type { Path } from "../names/path.js"
import { type Host, subscribeIn } from "../runtime/host.js"
import { createListNotices, type ListNotices, type NoticeOptions, TARGETS, toTools } from "./notices.js"
import { createViewTargets, type OwnedTargets } from "./targets.js"
import { createStateUpdates, createToldValues, type ToldValues } from "./told-values.js"
import type { Notice, Reached, Resolution, View } from "./view.js"
import { createWatches, type Watches } from "./watches.js"

/** What a view needs. */
export interface ViewOptions {
  /** See {@link View.id}. Default: a new one. */
  readonly id?: string
  /** What there is. */
  readonly catalogue: Catalogue
  /** Which of it this class of callers may know of; all of it where absent. Must give one answer per entry. */
  readonly allow?: Allow
  /** When clients are told of changes. */
  readonly notices: NoticeOptions
  /** Time, what is held, and who is told. */
  readonly host: Host
}

/** A {@link View} that can be let go of. */
export interface OwnedView extends View {
  /** Completes the notices and lets go of the catalogue, which lives on; idempotent. */
  close(): void
}

/** Looks at a catalogue for one class of callers. */
export function createView(options: ViewOptions): OwnedView {
  const { catalogue, allow } = options
  const notices = new Subject<Notice>()
  const told = createToldValues(catalogue.revision)
  const parts = createParts({ ...options, told }, (notice) => notices.next(notice))
  const { tools, known, states, updates } = parts
  const read = filterSnapshot(allow)
  const readKnown = filterKnown(allow)
  const targets = createTargets(options, parts, () => view)
  const watches = createWatches({ catalogue, watch: updates.watch, moved: updates.gone })
  const subscription = followCatalogue(options, { ...parts, told, targets, watches })

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
      const list = readKnown(catalogue.known())
      known.read()
      return list
    },
    revision: () => catalogue.revision(),
    resolve: (name) => resolve(catalogue.find(name), name, allow),
    state(uri) {
      const entry = catalogue.state(uri)
      return entry && allow?.(entry) === false ? undefined : entry
    },
    noteRead(entry, json, client) {
      told.tell(entry, json, client)
      updates.handed(entry)
    },
    noteAll: () => told.noteAll(() => read(catalogue.read()).states),
    statesAt: (path) => statesFor(catalogue.statesAt(path), allow),
    way: catalogue.way,
    toolAt: catalogue.toolAt,
    links: () => read(catalogue.read()).links,
    serviceAt: (path) => reach(catalogue, path, allow),
    ...createDiffs(options, { tools, states, told }),
    notices: notices.asObservable(),
    settled: catalogue.settled,
    hold: () => () => undefined, // it ends with its adapter, and with nothing before
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

/** Hands on what changes, as far as the callers may know, and when a task is over. */
function followCatalogue(
  { catalogue, host, allow }: ViewOptions,
  { told, targets, watches, ...parts }: Parts & Followers,
): Subscription {
  const { tools, known, states, updates } = parts
  const subscription = subscribeIn(host.ledger, catalogue.deltas, {
    next(all) {
      const delta = filterDelta(all, allow)
      tools.add(delta.tools)
      states.add(delta.states)
      told.forgetGone(delta.states)
      watches.renew(delta.states)
      for (const [uri, { after }] of delta.states) if (after === undefined) updates.gone(uri)
      for (const uri of updatedUris(delta)) updates.changed(uri)
    },
  })
  const addKnown = (changes: ReadonlyMap<string, Change<ToolEntry>>): void => known.add(filterChanges(changes, allow))
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

/** What else follows the changes of a catalogue. */
interface Followers {
  readonly told: ToldValues
  readonly targets: Pick<OwnedTargets, "note">
  readonly watches: Pick<Watches, "renew">
}

/** What is told, each kind in its own time. */
function createParts(
  { host, catalogue, told, notices: { windowMs, flickerMs } }: ViewOptions & { readonly told: ToldValues },
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
    states: createListNotices<StateEntry>(options, (states) => tell({ kind: "resources", diff: toDiff({ states }) })),
    updates: createStateUpdates({
      ...options,
      told,
      find: catalogue.state,
      deliver(uri) {
        tell({ kind: "updated", uri })
        const alias = catalogue.state(uri)?.alias
        if (alias !== undefined) tell({ kind: "updated", uri: alias })
      },
    }),
  }
}

/** What changed since a revision, as far as the callers may know. */
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
  const diffSince = (revision: number, client?: string): Diff | undefined => {
    const changes = catalogue.since(revision)
    const diff = changes && toDiff(filterDelta(changes, allow))
    return diff && { ...diff, values: diff.values.filter((entry) => told.differsSince(entry, revision, client)) }
  }
  return {
    diffSince,
    readSince(revision, client) {
      const diff = diffSince(revision, client)
      for (const entry of [...(diff?.values ?? []), ...(diff?.states.appeared ?? [])])
        told.tell(entry, undefined, client)
      if (diff && !isUnchanged(diff.tools)) tools.read()
      if (diff && !isUnchanged(diff.states)) states.read()
      return diff
    },
  }
}

/** The states whose newest value a watcher does not have: another value, or back after it was hidden. */
function* updatedUris({ states, values }: Pick<Delta, "states" | "values">): Iterable<string> {
  for (const [uri, { after }] of states) if (after !== undefined) yield uri
  yield* values.keys()
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

/** A service that shows states, and none of them to these callers, is not there for them: it must not be told from no service. */
function statesFor(states: readonly StateEntry[] | undefined, allow: Allow): readonly StateEntry[] | undefined {
  const allowed = states?.filter((entry) => allow?.(entry) !== false)
  return states !== undefined && states.length > 0 && allowed?.length === 0 ? undefined : allowed
}

/** Says whether somebody may know of an entry; everybody may where it is absent. */
export type Allow = ((entry: Entry) => boolean) | undefined

/** The part of a delta that may be known: an entry that may not be is as if it had never come or gone. */
function filterDelta<Parts extends Omit<Delta, "revision">>(delta: Parts, allow: Allow): Omit<Delta, "revision"> {
  if (allow === undefined) return delta
  return {
    tools: filterChanges(delta.tools, allow),
    states: filterChanges(delta.states, allow),
    links: filterChanges(delta.links, allow),
    values: new Map([...delta.values].filter(([, entry]) => allow(entry))),
  }
}

/** Filters snapshots; the same snapshot gives the same result. */
function filterSnapshot(allow: Allow): (snapshot: Snapshot) => Snapshot {
  if (allow === undefined) return (snapshot) => snapshot
  let last: { readonly from: Snapshot; readonly to: Snapshot } | undefined
  return (snapshot) => {
    if (last?.from !== snapshot) {
      const { revision, tools, states, links } = snapshot
      const to = Object.freeze({
        revision,
        tools: tools.filter(allow),
        states: states.filter(allow),
        links: links.filter(allow),
      })
      last = { from: snapshot, to }
    }
    return last.to
  }
}

/** Filters lists of known tools; the same list gives the same result. */
function filterKnown(allow: Allow): (known: readonly ToolEntry[]) => readonly ToolEntry[] {
  if (allow === undefined) return (known) => known
  let last: { readonly from: readonly ToolEntry[]; readonly to: readonly ToolEntry[] } | undefined
  return (known) => {
    if (last?.from !== known) last = { from: known, to: known.filter(allow) }
    return last.to
  }
}

/** The part of the changes that may be known: a change from or to what may not is as if it had come or gone. */
function filterChanges<Listed extends Entry>(
  changes: ReadonlyMap<string, Change<Listed>>,
  allow: Allow,
): ReadonlyMap<string, Change<Listed>> {
  if (allow === undefined) return changes
  const allowed = new Map<string, Change<Listed>>()
  for (const [key, { before, after }] of changes) {
    const seen = (entry: Listed | undefined): Listed | undefined => (entry && allow(entry) ? entry : undefined)
    const change = toChange(seen(before), seen(after))
    if (change.before !== undefined || change.after !== undefined) allowed.set(key, change)
  }
  return allowed
}

/** Follows a path link by link, through those that are there now and may be known of; the empty path is the root. */
function reach(catalogue: Catalogue, path: Path, allow: Allow): Reached | undefined {
  let reached: Reached = { service: catalogue.service, path: [] }
  for (const key of path) {
    const link = catalogue.link([...reached.path, key])
    if (link === undefined || allow?.(link) === false) return undefined
    reached = { service: link.service, path: link.canonical }
  }
  return reached
}
