import { type AgenticService, ServiceError } from "@x/agentic-service"
import type { Actions, Links, MemberFailure, States } from "@x/agentic-service/adapter"
import type { Observable } from "rxjs"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { type Ledger, subscribeIn } from "../runtime/host.js"
import type { StateEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
import type { NodeContext } from "./node-context.js"
import { createNodeStates } from "./node-states.js"
import { createNodeTools } from "./node-tools.js"

/** One service of the graph: watched, and its entries kept in line with its maps. */
export interface ServiceNode {
  /** Where it stands. */
  readonly place: Place<AgenticService>
  /**
   * Brings the entries in line with what the service has emitted.
   *
   * @returns The links, if they were among it.
   */
  update(): Links | undefined
  /** Publishes everything again under the path the place has now. */
  move(): void
  /** The maps that have not spoken yet. */
  silent(): readonly MapName[]
  /** The tools that are callable or declared, by action key. */
  knownTools(): ReadonlyMap<string, KnownTool>
  /** The visible states, sorted by key. */
  states(): readonly StateEntry[]
  /** Takes everything back and lets go of the service. */
  close(): void
}

/**
 * Subscribes to the service at `place`.
 *
 * @param onEmit - Called when there is something to update, also before this function returns. Must not throw.
 */
export function createServiceNode(place: Place<AgenticService>, context: NodeContext, onEmit: () => void): ServiceNode {
  const tools = createNodeTools(place, context)
  const states = createNodeStates(place, context)
  const watch = watchService(place.service, {
    ledger: context.host.ledger,
    onEmit,
    onFailure: (failure) => context.host.report(toDiagnostic(place, failure)),
  })

  return {
    place,
    update() {
      const maps = watch.take()
      if (maps.actions !== undefined) tools.update(maps.actions)
      if (maps.states !== undefined) states.update(maps.states)
      return maps.links
    },
    move() {
      tools.renew()
      states.renew()
    },
    silent: () => watch.silent(),
    knownTools: () => tools.known(),
    states: () => states.sorted(),
    close() {
      watch.close()
      tools.close()
      states.close()
    },
  }
}

function toDiagnostic({ path }: Place<AgenticService>, { kind, key, id, cause }: MemberFailure): Diagnostic {
  const at = { path, ...(key !== undefined && { key }), cause }
  if (id !== undefined) return { code: "action_failed", message: `action "${key}" failed (${id})`, ...at }
  // It ran and stays listed; only what it returned is wrong.
  if (cause instanceof ServiceError && cause.code === "invalid_output") {
    return { code: "result_invalid", message: cause.message, ...at }
  }
  const message =
    key === undefined
      ? `the map of ${kind}s failed: it is served as it was last`
      : `${kind} "${key}" failed: it is left out until it is there again`
  return { code: "source_failed", message, ...at }
}

/** The newest maps of one service. */
interface Maps {
  /** The states; empty until the service has spoken. */
  readonly states: States
  /** The actions; empty until the service has spoken. */
  readonly actions: Actions
  /** The links; empty until the service has spoken. */
  readonly links: Links
}

/** The names of the three maps. */
type MapName = keyof Maps

/** One service being watched. */
interface ServiceWatch {
  /** Takes the maps that emitted since the last call, each as it is now. */
  take(): Partial<Maps>
  /** The maps that have not emitted yet. */
  silent(): readonly MapName[]
  /** Lets go of the service. */
  close(): void
}

/** What a watch tells. */
interface WatchOptions {
  /** Counts the subscriptions. */
  readonly ledger: Ledger
  /** Called for every emission, also during `watchService` itself. Must not throw. */
  readonly onEmit: () => void
  /** Called when a map errors, or a member of it is reported as broken. Must not throw. */
  readonly onFailure: (failure: MemberFailure) => void
}

/**
 * Subscribes to the three maps of a service, once each, and keeps the newest of each.
 *
 * A map that errors keeps its last value. One that completes does too.
 */
function watchService(service: AgenticService, options: WatchOptions): ServiceWatch {
  // First, because it keeps nothing: a member may fail as soon as its map is subscribed to.
  const failures = subscribeIn(options.ledger, service.failures, {
    next: (failure) => options.onFailure(failure),
    error: () => undefined,
  })
  const watches = {
    states: watchMap(service.states, "state", options),
    actions: watchMap(service.actions, "action", options),
    links: watchMap(service.links, "link", options),
  }
  const names: readonly MapName[] = ["states", "actions", "links"]
  return {
    take: () => ({
      ...watches.states.take("states"),
      ...watches.actions.take("actions"),
      ...watches.links.take("links"),
    }),
    silent: () => names.filter((name) => watches[name].silent()),
    close() {
      failures.unsubscribe()
      for (const name of names) watches[name].close()
    },
  }
}

/** One map being watched. */
interface MapWatch<Value> {
  /** The newest value under `name`, if there was an emission since the last call. */
  take<Name extends MapName>(name: Name): { [Key in Name]?: Value }
  silent(): boolean
  close(): void
}

function watchMap<Value extends object>(
  source: Observable<Value>,
  kind: MemberFailure["kind"],
  options: WatchOptions,
): MapWatch<Value> {
  let newest: Value | undefined
  let emissions = 0
  let spoken = false
  const subscription = subscribeIn(options.ledger, source, {
    next(value) {
      newest = value
      emissions += 1
      spoken = true
      options.onEmit()
    },
    error(cause: unknown) {
      spoken = true
      options.onFailure({ kind, cause })
      options.onEmit()
    },
    complete() {
      spoken = true
      options.onEmit()
    },
  })
  return {
    take(name) {
      // When an earlier listener of the source emits again while the source is still telling its listeners, a
      // later one hears the newest value first and the one before it last. So after a burst, ask again.
      if (emissions > 1 && !subscription.closed) newest = sample(source, newest)
      const value = emissions > 0 ? newest : undefined
      emissions = 0
      const taken: { [Key in typeof name]?: Value } = {}
      if (value !== undefined) taken[name] = value
      return taken
    },
    silent: () => !spoken,
    close: () => subscription.unsubscribe(),
  }
}

/** The value a source gives on subscribing, or `fallback` when it gives none at once. */
function sample<Value>(source: Observable<Value>, fallback: Value | undefined): Value | undefined {
  let value = fallback
  source.subscribe({ next: (next) => (value = next), error: () => undefined }).unsubscribe()
  return value
}
