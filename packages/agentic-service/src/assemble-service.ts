import { memberOf } from "@x/tool-schemas/json"
import type { Observable } from "rxjs"
import { type Callable, executeAction } from "./calls/execute-action.js"
import type { ExecuteContext } from "./execute-context.js"
import { createLiveMap, type Feed, type LiveMap } from "./maps/live-map.js"
import type { Failure, Reply } from "./outcome.js"
import type { Action, AgenticService, Declared, Link, MemberFailure, Occupancy, State } from "./service.js"

/** What a service of ours is put together from. */
interface ServiceParts<Came extends Reply> {
  /** Names it to people and in URIs. */
  readonly name: string
  /** What it is for. */
  readonly description?: string | undefined
  /** The author's identity for what it stands for. */
  readonly id?: string | undefined
  /** The live identity, where the object outlives what it stands for. */
  readonly occupancy?: Occupancy | undefined
  /** Its states. */
  readonly states: LiveMap<State>
  /** Its actions. */
  readonly actions: LiveMap<Callable<Came>>
  /** Its links. */
  readonly links: LiveMap<Link>
  /** Every member that can ever be there. */
  readonly declared: Declared
  /** What fails, as it happens. */
  readonly failures: Observable<MemberFailure>
}

/** A service, and what a call of its actions comes back with. */
interface Assembled<Came extends Reply> extends AgenticService {
  /** See {@link AgenticService.execute}. */
  execute(action: string, input: unknown, context?: ExecuteContext): Promise<Came | Failure>
}

/** Puts a service together. */
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

/** What a service is put together from whose members are kept by somebody else. */
export interface FedParts extends Omit<ServiceParts<Reply>, "states" | "actions" | "links"> {
  /** Feeds its states. */
  readonly states: Feed<State>
  /** Feeds its actions. */
  readonly actions: Feed<Action>
  /** Feeds its links. */
  readonly links: Feed<Link>
}

/**
 * Makes a service of feeds, for libraries whose services are held elsewhere, such as in another process. It is a service like
 * any other: it says which members changed, and `toAgenticService` leaves it as it is. Name, description and what is declared
 * are read from `parts` whenever they are asked for, so that they may become known later.
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

// Registered, so that two copies of this package in one application recognise each other's services.
const brand: unique symbol = Symbol.for("@x/agentic-service")

/** Spread into every service this package makes. Survives `{ ...service }`. */
const branded: { readonly [brand]: true } = { [brand]: true }

/** Tells a service that some copy of this package made. */
export function isBranded(value: unknown): boolean {
  return memberOf(value, brand) === true
}
