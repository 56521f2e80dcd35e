import { type AgenticService, type Link, ServiceError } from "@x/agentic-service"
import { type MemberFailure, thingOf } from "@x/agentic-service/adapter"
import { SchemaError } from "@x/tool-schemas"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { type Host, subscribeIn } from "../runtime/host.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
import type { NodeContext } from "./node-context.js"
import { createNodeStates, createNodeTools } from "./node-members.js"
import type { MembersChange } from "./published-members.js"
import { type MapName, watchService } from "./watch-service.js"

/** A watched service and its entries. */
export interface ServiceNode {
  /** The service's place. */
  readonly place: Place<AgenticService>
  /**
   * Updates the entries with everything that the service has emitted.
   *
   * @returns The links, if emitted, and whether the service's instance was replaced.
   */
  update(): NodeUpdate
  /** Whether some emissions remain for another task. */
  unfinished(): boolean
  /** Publishes everything again under the place's current path. */
  move(): void
  /** Returns maps that have not emitted yet. */
  silent(): readonly MapName[]
  /** Returns callable and declared tools, by action key. */
  knownTools(): ReadonlyMap<string, KnownTool>
  /** Returns an action's tool, callable or declared. */
  tool(key: string): ToolEntry | undefined
  /** Returns visible states, sorted by key. */
  states(): readonly StateEntry[]
  /** Returns the keys of the targets. `undefined` for a service without targets. */
  readonly targetKeys: (() => readonly string[]) | undefined
  /** Removes the entries and releases the service. */
  close(): void
}

/** Further results of one update. */
interface NodeUpdate {
  /** The changed links. */
  readonly links: MembersChange<Link> | undefined
  /** Whether the service's instance was replaced. */
  readonly replaced: boolean
}

/**
 * Subscribes to the service at `place`.
 *
 * @param onEmit - Called when an update is due, possibly before this function returns. Must not throw.
 */
export function createServiceNode(place: Place<AgenticService>, context: NodeContext, onEmit: () => void): ServiceNode {
  let thing = thingOf(place.service)
  const site = { ...context, thing: () => thing }
  const tools = createNodeTools(place, site)
  const states = createNodeStates(place, site)
  const watch = watchService(place.service, {
    ledger: context.host.ledger,
    onEmit,
    onFailure: (failure, kept) => context.host.report(toDiagnostic(place, failure, kept)),
  })
  const targets = watchTargets(place, context.host, onEmit)
  const occupancy = watchOccupancy(place, context.host, onEmit)
  const renewThing = (): boolean => {
    const now = thingOf(place.service)
    if (now === thing) return false
    thing = now
    tools.renew()
    states.renew()
    return true
  }

  return {
    place,
    update() {
      const change = watch.take()
      // The identity goes first: members that change with it belong to the new instance.
      const replaced = renewThing()
      tools.update(change.actions)
      if (change.states !== undefined) states.update(change.states)
      return { links: change.links, replaced }
    },
    unfinished: tools.unfinished,
    move() {
      tools.renew()
      states.renew()
    },
    silent: () => watch.silent(),
    knownTools: () => tools.known(),
    tool: tools.entry,
    states: () => states.sorted(),
    targetKeys: targets?.keys,
    close() {
      watch.close()
      targets?.close()
      occupancy?.unsubscribe()
      tools.close()
      states.close()
    },
  }
}

function toDiagnostic(
  { path }: Place<AgenticService>,
  { kind, key, id, cause }: MemberFailure,
  kept = false,
): Diagnostic {
  const at = { path, ...(key !== undefined && { key }), cause }
  if (id !== undefined) return { code: "action_failed", message: `action "${key}" failed (${id})`, ...at }
  // The action ran and stays listed; only its result is wrong.
  if (cause instanceof ServiceError && cause.code === "invalid_output") {
    return { code: "result_invalid", message: cause.message, ...at }
  }
  if (cause instanceof ServiceError && cause.code === "silent") {
    return { code: "waiting", message: `${kind} "${key}" has no value yet: ${cause.message}`, ...at }
  }
  if (cause instanceof SchemaError) {
    return { code: "schema_unpublishable", message: `${kind} "${key}" is left out: ${cause.message}`, ...at }
  }
  const outcome = kept ? "its last value is served" : "its failed members are left out until they recover"
  const message =
    key === undefined
      ? `the map of ${kind}s failed: ${outcome}`
      : `${kind} "${key}" failed: it is left out until it recovers`
  return { code: "source_failed", message, ...at }
}

/** Follows a service's targets. After an error the last ones stay. */
function watchTargets({ path, service: { targets } }: Place<AgenticService>, host: Host, onEmit: () => void) {
  if (targets === undefined) return undefined
  let newest: readonly string[] = []
  const subscription = subscribeIn(host.ledger, targets.keys, {
    next(keys) {
      newest = keys
      onEmit()
    },
    error(cause) {
      const message = "the targets failed: the last ones stay available"
      host.report({ code: "source_failed", message, path, cause })
    },
  })
  return { keys: () => newest, close: () => subscription.unsubscribe() }
}

/** Follows a service's identity, if it can change. After an error the last one stays. */
function watchOccupancy({ path, service: { occupancy } }: Place<AgenticService>, host: Host, onEmit: () => void) {
  if (occupancy === undefined) return undefined
  return subscribeIn(host.ledger, occupancy.changes, {
    next: onEmit,
    error(cause) {
      const message = "the identity of the service failed: its last identity stays valid"
      host.report({ code: "source_failed", message, path, cause })
    },
  })
}
