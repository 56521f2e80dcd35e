import { Subject } from "rxjs"
import type { Clock } from "../runtime/clock.js"
import { type Ledger, subscribeIn } from "../runtime/ledger.js"
import type { Change } from "./claims.js"
import type { Catalogue } from "./create-catalogue.js"
import { type Delta, toDiff } from "./delta.js"
import { type Diff, isUnchanged } from "./diff.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import { type Allow, filterChanges, filterDelta, filterKnown, filterSnapshot } from "./filter.js"
import type { KnownTool } from "./known-tool.js"
import { createListNotices, type ListNotices } from "./list-notices.js"
import { reach } from "./reach.js"
import { createStateUpdates } from "./state-updates.js"
import type { Notice, Resolution, View } from "./view.js"

/** What a view needs. */
export interface ViewOptions {
  /** What there is. */
  readonly catalogue: Catalogue
  /** Which of it this class of callers may know of; all of it where absent. Must give one answer per entry. */
  readonly allow?: Allow
  /** The least time between two notices of a kind, in milliseconds. */
  readonly noticeWindow: number
  /** How long an action must have been gone before that is told, in milliseconds. Default 0. */
  readonly flickerWindow?: number | undefined
  /** Time. */
  readonly clock: Clock
  /** Counts what is held. */
  readonly ledger: Ledger
}

/** A {@link View} that can be let go of. */
export interface OwnedView extends View {
  /** Completes the notices and lets go of the catalogue, which lives on; idempotent. */
  close(): void
}

/** Looks at a catalogue for one class of callers. */
export function createView(options: ViewOptions): OwnedView {
  const { catalogue, ledger, allow } = options
  const notices = new Subject<Notice>()
  const { tools, known, states, updates } = createParts(options, (notice) => notices.next(notice))
  const parts = [tools, known, states, updates]
  const read = filterSnapshot(allow)
  const readKnown = filterKnown(allow)

  const subscription = subscribeIn(ledger, catalogue.deltas, {
    next(all) {
      const delta = filterDelta(all, allow)
      tools.add(delta.tools)
      states.add(delta.states)
      for (const uri of updatedUris(delta)) updates.changed(uri)
    },
  })
  const addKnown = (changes: ReadonlyMap<string, Change<ToolEntry>>): void => known.add(filterChanges(changes, allow))
  subscription.add(subscribeIn(ledger, catalogue.knownChanges, { next: addKnown }))
  subscription.add(
    subscribeIn(ledger, catalogue.settled, {
      next() {
        for (const part of parts) part.settle()
      },
    }),
  )

  return {
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
    statesAt: (path) => statesFor(catalogue.statesAt(path), allow),
    links: () => read(catalogue.read()).links,
    serviceAt: (path) => reach(catalogue, path, allow),
    ...createDiffs(options, { tools, states }),
    notices: notices.asObservable(),
    settled: catalogue.settled,
    watch: updates.watch,
    close() {
      subscription.unsubscribe()
      for (const part of parts) part.close()
      notices.complete()
    },
  }
}

/** What is told, each kind in its own time. */
function createParts({ flickerWindow, ...options }: ViewOptions, tell: (notice: Notice) => void) {
  return {
    tools: createListNotices<ToolEntry>({ ...options, flickerWindow }, (tools) =>
      tell({ kind: "tools", diff: toDiff({ tools }) }),
    ),
    known: createListNotices<ToolEntry>(options, (tools) => tell({ kind: "known", diff: toDiff({ tools }) })),
    states: createListNotices<StateEntry>(options, (states) => tell({ kind: "resources", diff: toDiff({ states }) })),
    updates: createStateUpdates({ ...options, deliver: (uri) => tell({ kind: "updated", uri }) }),
  }
}

/** What changed since a revision, as far as the callers may know. */
function createDiffs(
  { catalogue, allow }: ViewOptions,
  { tools, states }: { readonly tools: ListNotices<ToolEntry>; readonly states: ListNotices<StateEntry> },
): Pick<View, "diffSince" | "readSince"> {
  const diffSince = (revision: number): Diff | undefined => {
    const changes = catalogue.since(revision)
    return changes && toDiff(filterDelta(changes, allow))
  }
  return {
    diffSince,
    readSince(revision) {
      const diff = diffSince(revision)
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
    ? { status: "unavailable", name, entry, reason: known.reason() }
    : { status: "available", entry, action }
}

/** A service that shows states, and none of them to these callers, is not there for them: it must not be told from no service. */
function statesFor(states: readonly StateEntry[] | undefined, allow: Allow): readonly StateEntry[] | undefined {
  const allowed = states?.filter((entry) => allow?.(entry) !== false)
  return states !== undefined && states.length > 0 && allowed?.length === 0 ? undefined : allowed
}
