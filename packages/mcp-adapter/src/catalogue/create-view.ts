import { Subject } from "rxjs"
import type { Clock } from "../runtime/clock.js"
import { type Ledger, subscribeIn } from "../runtime/ledger.js"
import type { Catalogue } from "./create-catalogue.js"
import { toDiff } from "./delta.js"
import type { Diff } from "./diff.js"
import type { Entry, StateEntry, ToolEntry } from "./entry.js"
import { filterDelta, filterSnapshot } from "./filter.js"
import { createNoticeWindow } from "./notice-window.js"
import { createPendingNotice } from "./pending-notice.js"
import { createStateUpdates } from "./state-updates.js"
import type { Notice, View } from "./view.js"

/** What a view needs. */
export interface ViewOptions {
  /** What there is. */
  readonly catalogue: Catalogue
  /** Which of it this class of callers may know of; all of it where absent. Must give one answer per entry. */
  readonly allow?: ((entry: Entry) => boolean) | undefined
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
  const tools = createPendingNotice<ToolEntry>()
  const states = createPendingNotice<StateEntry>()
  const toolsWindow = createNoticeWindow({
    ...options,
    window: options.noticeWindow,
    due: tools.due,
    deliver: () => notices.next({ kind: "tools", diff: toDiff({ tools: tools.take() }) }),
  })
  const statesWindow = createNoticeWindow({
    ...options,
    window: options.noticeWindow,
    due: states.due,
    deliver: () => notices.next({ kind: "resources", diff: toDiff({ states: states.take() }) }),
  })
  const updates = createStateUpdates({ ...options, deliver: (uri) => notices.next({ kind: "updated", uri }) })
  const read = filterSnapshot(allow)

  const deltas = subscribeIn(ledger, catalogue.deltas, {
    next(all) {
      const delta = filterDelta(all, allow)
      for (const [name, change] of delta.tools) tools.add(name, change)
      for (const [uri, change] of delta.states) {
        states.add(uri, change)
        if (change.after !== undefined) updates.changed(uri)
      }
      for (const uri of delta.values.keys()) updates.changed(uri)
    },
  })
  const settled = subscribeIn(ledger, catalogue.settled, {
    next() {
      toolsWindow.settle()
      statesWindow.settle()
      updates.settle()
    },
  })

  return {
    ready: catalogue.ready,
    snapshot() {
      const snapshot = read(catalogue.read())
      tools.read()
      states.read()
      return snapshot
    },
    resolve(name) {
      const known = catalogue.find(name)
      const entry = known?.latest() ?? known?.entry
      if (known === undefined || entry === undefined || allow?.(entry) === false) return { status: "unknown" }
      const action = known.latest()?.current()
      if (action === undefined) return { status: "unavailable", name, entry, reason: known.reason() }
      return { status: "available", entry, action }
    },
    state(uri) {
      const entry = catalogue.state(uri)
      return entry && allow?.(entry) === false ? undefined : entry
    },
    statesAt: (path) => catalogue.statesAt(path)?.filter((entry) => allow?.(entry) !== false),
    diffSince(revision): Diff | undefined {
      const changes = catalogue.since(revision)
      return changes && toDiff(filterDelta(changes, allow))
    },
    notices: notices.asObservable(),
    watch: updates.watch,
    close() {
      deltas.unsubscribe()
      settled.unsubscribe()
      toolsWindow.close()
      statesWindow.close()
      updates.close()
      notices.complete()
    },
  }
}
