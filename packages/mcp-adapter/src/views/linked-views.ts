import type { Principal } from "@x/agentic-service"
import { thingOf } from "@x/agentic-service/adapter"
import { merge } from "rxjs"
import { createCatalogue } from "../catalogue/create-catalogue.js"
import type { Entry } from "../catalogue/entry.js"
import type { PublishInput } from "../catalogue/publish-tool.js"
import { formatPath, type Path } from "../names/path.js"
import { subscribeIn } from "../runtime/host.js"
import type { Allow } from "./allow.js"
import { createView } from "./create-view.js"
import type { ViewLease, Views, ViewsOptions } from "./create-views.js"
import { createLeases } from "./leases.js"
import { principalKey } from "./principal-key.js"
import { profileKey, type ServiceProfile } from "./profile.js"
import type { Reached, Resolution, View } from "./view.js"

/** Views of single services, each reached by a path of links and created on first use. */
export interface LinkedViews {
  /**
   * Takes a lease on the view of the service at a path, in a profile. Returns `undefined` unless the principal can see a service
   * there.
   */
  open(path: Path, principal: Principal | undefined, profile?: ServiceProfile): ViewLease | undefined
  /** Gives no more leases. The views themselves end with the graph's views, to be closed separately. */
  close(): void
}

/** Creates linked views. They belong to the graph's views, and end with them. */
export function createLinkedViews(views: Views, options: ViewsOptions): LinkedViews {
  const { allow } = options
  const leases = createLeases<LinkedView>({ ...options, ...options.principals, close: (linked) => linked.close() })
  let closed = false

  const take = (
    parent: View,
    path: Path,
    { principal, profile }: { readonly principal: Principal | undefined; readonly profile: ServiceProfile | undefined },
  ): ViewLease | undefined => {
    const key = JSON.stringify([profileKey(profile), views.shared ? "" : principalKey(principal), formatPath(path)])
    // The service may have been replaced within this task.
    leases.peek(key)?.check()
    const reached = parent.serviceAt(path)
    if (reached === undefined) return undefined
    const { value, release } = leases.take(key, () =>
      createLinkedView({
        ...options,
        publishInput: options.publishAs(profile),
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
    open(path, principal, profile) {
      if (closed) return undefined
      const parent = views.open(principal, profile)
      let lease: ViewLease | undefined
      try {
        lease = take(parent.view, path, { principal, profile })
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

/** A view of one service: its tools under plain names, its states, and the links below it. */
interface LinkedView {
  /** The view. Its notices complete when it closes. */
  readonly view: View
  /** Checks whether the view must end. It also checks by itself after each task. */
  check(): void
  /** Closes the view immediately. Idempotent. */
  close(): void
}

/** Options of a linked view. */
interface LinkedViewOptions extends Omit<ViewsOptions, "allow" | "source" | "principals" | "onChange"> {
  /** Publishes input schemas. */
  readonly publishInput: PublishInput
  /** The caller's view of the whole graph. */
  readonly parent: View
  /** The view's path. When it leads nowhere or elsewhere, the view ends. */
  readonly path: Path
  /** The service now at the path. */
  readonly reached: Reached
  /** Hides entries, called as for the whole graph: with canonical paths and names of the graph. */
  readonly allow: Allow
  /** Called once, when the view has ended: another may then be created at this path, even while calls still run in this one. */
  readonly ended: () => void
}

/**
 * Publishes one service of a graph under its canonical path, while its path leads to the same instance. A service object that
 * the application recreates with an equal `id` replaces the former one, and the view continues.
 */
function createLinkedView(options: LinkedViewOptions): LinkedView {
  const { parent, path, reached, host } = options
  const catalogue = createCatalogue({
    ...options,
    service: reached.service,
    alone: reached.path,
    toolName: (_path, key, displaced) => options.toolName([], key, displaced),
    // The graph's catalogue watches the same service and reports its diagnostics.
    host: { ...host, report: () => undefined },
  })
  const own = createView({ ...options, id: parent.id, catalogue, allow: asInGraph(options) })
  /** Returns the destination of the path if its instance is still the same, and updates the catalogue. */
  const now = (): Reached | undefined => {
    const there = parent.serviceAt(path)
    if (there === undefined || thingOf(there.service) !== thingOf(catalogue.service)) return undefined
    catalogue.moveTo(there.path, there.service)
    return there
  }
  const life = createLife({ host, ended: options.ended, close: () => closeAll() })
  const check = (): void => {
    if (now() === undefined) life.end()
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

/** Applies the graph's rule with the tool's name in the graph, since rules may use names. */
function asInGraph(options: LinkedViewOptions): Allow {
  const { allow } = options
  return allow && ((entry) => allow(toGraphEntry(entry, options)))
}

function toGraphEntry(entry: Entry, { parent, toolName }: LinkedViewOptions): Entry {
  if (entry.kind !== "tool") return entry
  const there = parent.toolAt(entry.path, entry.key)
  // A tool that the graph no longer knows has its former name, unless its author chose one.
  const isChosen = ![false, true].some((displaced) => toolName([], entry.key, displaced).name === entry.name)
  const name = there?.name ?? (isChosen ? entry.name : toolName(entry.path, entry.key).name)
  return { ...entry, name, definition: { ...entry.definition, name } }
}

/** Adds the properties that depend on the graph: the path, whether the service is reachable, and the links below. */
function toLinked(own: View, { parent, path }: LinkedViewOptions, now: () => Reached | undefined): View {
  return {
    ...own,
    at: path,
    way: parent.way,
    keep: (ms) => parent.keep(ms),
    settled: merge(own.settled, parent.settled),
    resolve(name) {
      const there = now()
      return whileReached(own.resolve(name), name, there && now)
    },
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

/** Returns a resolution while the service is linked, and an unavailable one when `now` is absent or returns nothing. */
function whileReached(resolution: Resolution, name: string, now: (() => Reached | undefined) | undefined): Resolution {
  if (resolution.status !== "available") return resolution
  const { entry } = resolution
  if (now === undefined) {
    return { status: "unavailable", name, entry, reason: "no link leads to its service now" }
  }
  return { ...resolution, entry: { ...entry, current: () => now() && entry.current() } }
}

/** Creates the life cycle of a view: it ends when told to, and closes when no call holds it. */
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
