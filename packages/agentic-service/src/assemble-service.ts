import type { Observable } from "rxjs"
import { type Callable, executeAction } from "./calls/execute-action.js"
import type { ExecuteContext } from "./execute-context.js"
import type { LiveMap } from "./maps/live-map.js"
import { memberOf } from "./member-of.js"
import type { Failure, Reply } from "./outcome.js"
import type { AgenticService, Declared, Link, MemberFailure, State } from "./service.js"

/** What a service of ours is put together from. */
interface ServiceParts<Came extends Reply> {
  /** Names it to people and in URIs. */
  readonly name: string
  /** What it is for. */
  readonly description?: string | undefined
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
  const { name, description, states, actions, links, declared, failures } = parts
  return {
    ...branded,
    name,
    ...(description === undefined ? {} : { description }),
    states: states.changes,
    actions: actions.changes,
    links: links.changes,
    declared,
    failures,
    execute: (action, input, context) =>
      executeAction({ name, actions: actions.changes, declared }, { action, input, context }),
    close: () => {
      for (const map of [states, actions, links]) map.close()
    },
  }
}

// Registered, so that two copies of this package in one application recognise each other's services.
const brand: unique symbol = Symbol.for("@x/agentic-service")

/** Spread into every service this package makes. Survives `{ ...service }`. */
const branded: { readonly [brand]: true } = { [brand]: true }

/** Tells a service that some copy of this package made. */
export function isBranded(value: unknown): boolean {
  return memberOf(value, brand) === true
}
