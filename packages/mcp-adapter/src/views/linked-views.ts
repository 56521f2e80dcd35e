import type { Principal } from "@x/agentic-service"
import { merge } from "rxjs"
import { createCatalogue } from "../catalogue/create-catalogue.js"
import type { Entry } from "../catalogue/entry.js"
import { formatPath, type Path } from "../names/path.js"
import { subscribeIn } from "../runtime/host.js"
import { type Allow, createView } from "./create-view.js"
import type { ViewLease, Views, ViewsOptions } from "./create-views.js"
import { createLeases } from "./leases.js"
import { principalKey } from "./principal-key.js"
import type { Reached, Resolution, View } from "./view.js"

/** The views of single services, each reached by a path of links, made on first use. */
export interface LinkedViews {
  /** Takes a lease on the view of what a path leads to; `undefined` where nothing is that the principal may know of. */
  open(path: Path, principal: Principal | undefined): ViewLease | undefined
  /** Gives no more leases. The views end with those of the graph, which are to be closed besides. */
  close(): void
}

/** No linked view yet. They belong to the views of the graph, and end with them. */
export function createLinkedViews(views: Views, options: ViewsOptions): LinkedViews {
  const { allow } = options
  const leases = createLeases<LinkedView>({ ...options, ...options.principals, close: (linked) => linked.close() })
  let closed = false

  const take = (parent: View, path: Path, principal: Principal | undefined): ViewLease | undefined => {
    const key = JSON.stringify([views.shared ? "" : principalKey(principal), formatPath(path)])
    // What stood there may have been replaced in this very task.
    leases.peek(key)?.check()
    const reached = parent.serviceAt(path)
    if (reached === undefined) return undefined
    const { value, release } = leases.take(key, () =>
      createLinkedView({
        ...options,
        parent,
        path,
        reached,
        allow: allow && ((entry) => allow(principal, entry)),
        ended: () => leases.forget(key),
      }),
    )
    return { view: value.view, release }
  }

  return {
    open(path, principal) {
      if (closed) return undefined
      const parent = views.open(principal)
      let lease: ViewLease | undefined
      try {
        lease = take(parent.view, path, principal)
      } finally {
        if (lease === undefined) parent.release()
      }
      return lease && { view: lease.view, release: () => releaseAll(lease, parent) }
    },
    close() {
      closed = true
    },
  }
}

function releaseAll(...leases: readonly ViewLease[]): void {
  for (const lease of leases) lease.release()
}

/** A view of one service alone: its tools under plain names, its states, and which links lead on from it. */
interface LinkedView {
  /** The view. Its notices complete when it closes. */
  readonly view: View
  /** Looks whether it must end, which it also does by itself at the end of a task. */
  check(): void
  /** Closes it at once; idempotent. */
  close(): void
}

/** What a linked view needs. */
interface LinkedViewOptions extends Omit<ViewsOptions, "allow" | "source" | "principals" | "onChange"> {
  /** What the caller sees of the whole graph. */
  readonly parent: View
  /** The path it is reached by; when that leads nowhere, or elsewhere, it ends. */
  readonly path: Path
  /** What is there now. */
  readonly reached: Reached
  /** Hides entries; asked as for the whole graph, with canonical paths and the names they have there. */
  readonly allow: Allow
  /** Runs once, when it has ended: there may be another by this path, though this one's calls still run. */
  readonly ended: () => void
}

/** Watches one service of a graph for as long as its path leads to it, and publishes it under its canonical path. */
function createLinkedView(options: LinkedViewOptions): LinkedView {
  const { parent, path, reached, host } = options
  const catalogue = createCatalogue({
    ...options,
    service: reached.service,
    alone: reached.path,
    toolName: (_path, key, displaced) => options.toolName([], key, displaced),
    // The catalogue of the graph has the same service, and has told already.
    host: { ...host, report: () => undefined },
  })
  const own = createView({ ...options, id: parent.id, catalogue, allow: asInGraph(options) })
  const now = (): Reached | undefined => {
    const there = parent.serviceAt(path)
    return there?.service === reached.service ? there : undefined
  }
  const life = createLife({ host, ended: options.ended, close: () => closeAll() })
  const check = (): void => {
    const there = now()
    if (there === undefined) life.end()
    else catalogue.moveTo(there.path)
  }
  const watch = subscribeIn(host.ledger, parent.settled, { next: check })
  const closeAll = (): void => {
    watch.unsubscribe()
    own.close()
    catalogue.close()
  }
  watch.add(subscribeIn(host.ledger, parent.notices, { complete: life.close }))
  return { view: { ...toLinked(own, options, now), hold: life.hold }, check, close: life.close }
}

/** The rule of the graph, asked with the name that a tool has in the graph: rules may go by names. */
function asInGraph(options: LinkedViewOptions): Allow {
  const { allow } = options
  return allow && ((entry) => allow(toGraphEntry(entry, options)))
}

function toGraphEntry(entry: Entry, { parent, toolName }: LinkedViewOptions): Entry {
  if (entry.kind !== "tool") return entry
  const there = parent.toolAt(entry.path, entry.key)
  // A tool that the graph does not know any more has the name that it had, unless its author chose that.
  const isChosen = ![false, true].some((displaced) => toolName([], entry.key, displaced).name === entry.name)
  const name = there?.name ?? (isChosen ? entry.name : toolName(entry.path, entry.key).name)
  return { ...entry, name, definition: { ...entry.definition, name } }
}

/** What the service itself does not know: where it stands, whether it can be reached still, and what lies behind it. */
function toLinked(own: View, { parent, path }: LinkedViewOptions, now: () => Reached | undefined): View {
  return {
    ...own,
    at: path,
    way: parent.way,
    keep: (ms) => parent.keep(ms),
    settled: merge(own.settled, parent.settled),
    resolve: (name) => whileReached(own.resolve(name), name, now),
    serviceAt: (below) => parent.serviceAt([...path, ...below]),
    links() {
      const base = now()?.path
      if (base === undefined) return []
      return parent
        .links()
        .filter((link) => link.path.length > base.length && base.every((key, index) => link.path[index] === key))
        .map((link) => ({ ...link, path: link.path.slice(base.length) }))
    },
  }
}

function whileReached(resolution: Resolution, name: string, now: () => Reached | undefined): Resolution {
  if (resolution.status !== "available") return resolution
  const { entry } = resolution
  if (now() === undefined) {
    return { status: "unavailable", name, entry, reason: "the service it belongs to is not linked now" }
  }
  return { ...resolution, entry: { ...entry, current: () => now() && entry.current() } }
}

/** Ends when it is told to, closes when nothing holds it. */
function createLife({ host, ended, close }: Pick<LinkedViewOptions, "host" | "ended"> & { close(): void }) {
  let holds = 0
  let state: "open" | "ended" | "closed" = "open"
  const end = (): void => {
    if (state !== "open") return
    state = "ended"
    ended()
    if (holds === 0) closeNow()
  }
  const closeNow = (): void => {
    if (state === "closed") return
    if (state === "open") ended()
    state = "closed"
    close()
  }
  return {
    end,
    close: closeNow,
    hold() {
      holds += 1
      let held = true
      return () => {
        if (!held) return
        held = false
        holds -= 1
        // The answer is written within this task.
        host.clock.settle(() => {
          if (state === "ended" && holds === 0) closeNow()
        })
      }
    },
  }
}
