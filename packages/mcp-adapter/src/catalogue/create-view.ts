import { Subject } from "rxjs"
import type { Clock } from "../runtime/clock.js"
import { type Ledger, subscribeIn } from "../runtime/ledger.js"
import type { Catalogue } from "./create-catalogue.js"
import { type Delta, toDiff } from "./delta.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import { type Allow, filterDelta, filterSnapshot } from "./filter.js"
import type { KnownTool } from "./known-tool.js"
import { createListNotices } from "./list-notices.js"
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
  const tools = createListNotices<ToolEntry>(options, (changes) =>
    notices.next({ kind: "tools", diff: toDiff({ tools: changes }) }),
  )
  const states = createListNotices<StateEntry>(options, (changes) =>
    notices.next({ kind: "resources", diff: toDiff({ states: changes }) }),
  )
  const updates = createStateUpdates({ ...options, deliver: (uri) => notices.next({ kind: "updated", uri }) })
  const read = filterSnapshot(allow)

  const subscription = subscribeIn(ledger, catalogue.deltas, {
    next(all) {
      const delta = filterDelta(all, allow)
      tools.add(delta.tools)
      states.add(delta.states)
      for (const uri of updatedUris(delta)) updates.changed(uri)
    },
  })
  subscription.add(
    subscribeIn(ledger, catalogue.settled, {
      next() {
        for (const part of [tools, states, updates]) part.settle()
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
    revision: () => catalogue.revision(),
    resolve: (name) => resolve(catalogue.find(name), name, allow),
    state(uri) {
      const entry = catalogue.state(uri)
      return entry && allow?.(entry) === false ? undefined : entry
    },
    statesAt: (path) => statesFor(catalogue.statesAt(path), allow),
    links: () => read(catalogue.read()).links,
    serviceAt: (path) => reach(catalogue, path, allow),
    diffSince(revision) {
      const changes = catalogue.since(revision)
      return changes && toDiff(filterDelta(changes, allow))
    },
    notices: notices.asObservable(),
    settled: catalogue.settled,
    watch: updates.watch,
    close() {
      subscription.unsubscribe()
      for (const part of [tools, states, updates]) part.close()
      notices.complete()
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
