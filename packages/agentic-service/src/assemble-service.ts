import { memberOf } from "@x/base"
import type { Observable } from "rxjs"
import { type Callable, executeAction } from "./calls/execute-action.js"
import type { ExecuteContext } from "./execute-context.js"
import { createLiveMap, type Feed, type LiveMap } from "./maps/live-map.js"
import type { Failure, Reply } from "./outcome.js"
import type { Action, AgenticService, Declared, Link, MemberFailure, Occupancy, State } from "./service.js"

/** The parts of a service. */
interface ServiceParts<Came extends Reply> {
  /** The service's name, for people and URIs. */
  readonly name: string
  /** The service's purpose. */
  readonly description?: string | undefined
  /** The author's identity of the service. */
  readonly id?: string | undefined
  /** The live identity, for an object whose content is replaced. */
  readonly occupancy?: Occupancy | undefined
  /** The states. */
  readonly states: LiveMap<State>
  /** The actions. */
  readonly actions: LiveMap<Callable<Came>>
  /** The links. */
  readonly links: LiveMap<Link>
  /** Every possible member. */
  readonly declared: Declared
  /** Failures of members, as they happen. */
  readonly failures: Observable<MemberFailure>
}

/** A service whose calls return a known kind of reply. */
interface Assembled<Came extends Reply> extends AgenticService {
  /** See {@link AgenticService.execute}. */
  execute(action: string, input: unknown, context?: ExecuteContext): Promise<Came | Failure>
}

/** Assembles a service from its parts. */
export function assembleService<Came extends Reply>(parts: ServiceParts<Came>): Assembled<Came> {
  const { name, description, id, occupancy, states, actions, links, declared, failures } = parts
  return {
    ...branded,
    name,
    ...(description === undefined ? {} : { description }),
    ...(id === undefined ? {} : { id }),
    ...(occupancy === undefined ? {} : { occupancy }),
    states: states.changes,
    actions: actions.changes,
    links: links.changes,
    declared,
    failures,
    execute: (action, input, context) =>
      executeAction({ name, actions: actions.changes, declared, occupancy }, { action, input, context }),
    close: () => {
      for (const map of [states, actions, links]) map.close()
    },
  }
}

/** Parts of a service whose members another library maintains. */
export interface FedParts extends Omit<ServiceParts<Reply>, "states" | "actions" | "links"> {
  /** The feed of states. */
  readonly states: Feed<State>
  /** The feed of actions. */
  readonly actions: Feed<Action>
  /** The feed of links. */
  readonly links: Feed<Link>
}

/**
 * Creates a service from feeds, for libraries whose services live elsewhere, such as in another process. It is a full service:
 * it reports which members changed, and `toAgenticService` returns it unchanged. Name, description and declarations are read
 * from `parts` on each access, so that they may become known later.
 *
 * @example
 * ```ts
 * import type { State } from "@x/agentic-service"
 * import { createFedService, type Feed } from "@x/agentic-service/adapter"
 * import { NEVER, Subject } from "rxjs"
 *
 * const none = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }
 * const received = new Map<string, State>([["count", { schema: { type: "integer" }, value: 1 }]])
 * const changes = new Subject<readonly string[]>()
 * const states: Feed<State> = {
 *   connect(changed) {
 *     const subscription = changes.subscribe(changed)
 *     return () => subscription.unsubscribe()
 *   },
 *   spoken: () => true,
 *   find: (key) => received.get(key),
 *   keys: () => received.keys(),
 * }
 * const declared = { states: {}, actions: {}, links: {} }
 * const remote = createFedService({ name: "remote", states, actions: none, links: none, declared, failures: NEVER })
 *
 * remote.states.subscribe(({ count }) => console.log(count?.value)) // 1, then 2
 * received.set("count", { schema: { type: "integer" }, value: 2 })
 * changes.next(["count"])
 * remote.close()
 * ```
 */
export function createFedService(parts: FedParts): AgenticService {
  const states = createLiveMap(parts.states)
  const actions = createLiveMap(parts.actions)
  const links = createLiveMap(parts.links)
  const service = assembleService<Reply>({ ...parts, states, actions, links })
  const execute: AgenticService["execute"] = (action, input, context) => {
    const { name, declared, occupancy } = parts
    return executeAction<Reply>({ name, actions: actions.changes, declared, occupancy }, { action, input, context })
  }
  return Object.defineProperties(
    { ...service, execute },
    {
      name: { get: () => parts.name, enumerable: true },
      description: { get: () => parts.description, enumerable: true },
      declared: { get: () => parts.declared, enumerable: true },
    },
  )
}

// A registered symbol, so that two copies of this package in one application recognise each other's services.
const brand: unique symbol = Symbol.for("@x/agentic-service")

/** The brand of every service that this package creates. It survives `{ ...service }`. */
const branded: { readonly [brand]: true } = { [brand]: true }

/** Checks whether any copy of this package created a service. */
export function isBranded(value: unknown): boolean {
  return memberOf(value, brand) === true
}
