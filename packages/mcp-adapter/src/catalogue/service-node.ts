import { type AgenticService, ServiceError } from "@x/agentic-service"
import { type Links, type MemberFailure, thingOf } from "@x/agentic-service/adapter"
import { SchemaError } from "@x/tool-schemas"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { type Host, subscribeIn } from "../runtime/host.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
import type { NodeContext } from "./node-context.js"
import { createNodeStates, createNodeTools } from "./node-members.js"
import { type MapName, watchService } from "./watch-service.js"

/** One service of the graph: watched, and its entries kept in line with its maps. */
export interface ServiceNode {
  /** Where it stands. */
  readonly place: Place<AgenticService>
  /**
   * Brings the entries in line with what the service has emitted.
   *
   * @returns The links, if they were among it, and whether the service stands for another thing than before.
   */
  update(): NodeUpdate
  /** Whether some of what it has emitted is left for another task. */
  unfinished(): boolean
  /** Publishes everything again under the path the place has now. */
  move(): void
  /** The maps that have not spoken yet. */
  silent(): readonly MapName[]
  /** The tools that are callable or declared, by action key. */
  knownTools(): ReadonlyMap<string, KnownTool>
  /** The tool of an action key that is callable or declared. */
  tool(key: string): ToolEntry | undefined
  /** The visible states, sorted by key. */
  states(): readonly StateEntry[]
  /** The keys of the targets to choose from; `undefined` for a service that has none of its own. */
  readonly targetKeys: (() => readonly string[]) | undefined
  /** Takes everything back and lets go of the service. */
  close(): void
}

/** What one update found beside states and actions. */
interface NodeUpdate {
  /** The links as they are now, if they have been emitted again. */
  readonly links: Links | undefined
  /** Whether the service stands for another thing than before. */
  readonly replaced: boolean
}

/**
 * Subscribes to the service at `place`.
 *
 * @param onEmit - Called when there is something to update, also before this function returns. Must not throw.
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
      // First what it stands for: members that change with it belong to the new thing.
      const replaced = renewThing()
      tools.update(change.actions)
      if (change.states !== undefined) states.update(change.states)
      return { links: change.links?.whole(), replaced }
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
  // It ran and stays listed; only what it returned is wrong.
  if (cause instanceof ServiceError && cause.code === "invalid_output") {
    return { code: "result_invalid", message: cause.message, ...at }
  }
  if (cause instanceof ServiceError && cause.code === "silent") {
    return { code: "waiting", message: `${kind} "${key}" is not there yet: ${cause.message}`, ...at }
  }
  if (cause instanceof SchemaError) {
    return { code: "schema_unpublishable", message: `${kind} "${key}" is left out: ${cause.message}`, ...at }
  }
  const outcome = kept ? "it is served as it was last" : "what failed of it is left out until it is there again"
  const message =
    key === undefined
      ? `the map of ${kind}s failed: ${outcome}`
      : `${kind} "${key}" failed: it is left out until it is there again`
  return { code: "source_failed", message, ...at }
}

/** Follows what there is to choose from. A source that fails keeps its last word. */
function watchTargets({ path, service: { targets } }: Place<AgenticService>, host: Host, onEmit: () => void) {
  if (targets === undefined) return undefined
  let newest: readonly string[] = []
  const subscription = subscribeIn(host.ledger, targets.keys, {
    next(keys) {
      newest = keys
      onEmit()
    },
    error(cause) {
      const message = "the targets failed: the choice stays as it was last"
      host.report({ code: "source_failed", message, path, cause })
    },
  })
  return { keys: () => newest, close: () => subscription.unsubscribe() }
}

/** Follows what a service stands for, where that can change. A source that fails keeps its last word. */
function watchOccupancy({ path, service: { occupancy } }: Place<AgenticService>, host: Host, onEmit: () => void) {
  if (occupancy === undefined) return undefined
  return subscribeIn(host.ledger, occupancy.changes, {
    next: onEmit,
    error(cause) {
      const message = "the identity of the service failed: it counts as the thing it was last"
      host.report({ code: "source_failed", message, path, cause })
    },
  })
}
