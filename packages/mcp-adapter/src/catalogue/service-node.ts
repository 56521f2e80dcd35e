import { type AgenticService, type Links, type MemberFailure, ServiceError } from "@x/agentic-service"
import type { Diagnostic } from "../runtime/diagnostic.js"
import type { StateEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { KnownTool } from "./known-tool.js"
import type { NodeContext } from "./node-context.js"
import { createNodeStates } from "./node-states.js"
import { createNodeTools } from "./node-tools.js"
import { type MapName, watchService } from "./watch-service.js"

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
    ledger: context.ledger,
    onEmit,
    onFailure: (failure) => context.report(toDiagnostic(place, failure)),
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
