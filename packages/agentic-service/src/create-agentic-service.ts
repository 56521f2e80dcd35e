import { assembleService } from "./assemble-service.js"
import type { ActionDeclaration, LinkDeclaration, StateDeclaration } from "./declare.js"
import { createActionMember, createLinkMember, createMembers, createStateMember } from "./members.js"
import { createFailures } from "./report.js"
import type { OwnService } from "./service.js"

/** A service as its author writes it: every member once, under its key. */
export interface ServiceDefinition {
  /** Names the service to people and in URIs; not required to be unique. */
  readonly name: string
  /** One or two sentences on what the service is for. */
  readonly description?: string
  /** What an agent may see. */
  readonly states?: Readonly<Record<string, StateDeclaration>>
  /** What an agent may do. */
  readonly actions?: Readonly<Record<string, ActionDeclaration>>
  /** What an agent may reach. */
  readonly links?: Readonly<Record<string, LinkDeclaration>>
}

/**
 * Makes a service of what an application declares. Nothing is subscribed before somebody subscribes
 * one of its maps, and everything is let go with the last subscriber.
 *
 * @example
 * ```ts
 * import { action, createAgenticService, state } from "@x/agentic-service"
 * import { BehaviorSubject, map } from "rxjs"
 *
 * const count = new BehaviorSubject(0)
 * const counter = createAgenticService({
 *   name: "counter",
 *   states: { count: state({ description: "How many", schema: { type: "integer" }, value: count }) },
 *   actions: {
 *     add: action({ description: "Add one", execute: () => count.next(count.value + 1) }),
 *     reset: action({
 *       description: "Start again",
 *       when: { is: count.pipe(map((n) => n > 0)), otherwise: "it stands at 0" },
 *       execute: () => count.next(0),
 *     }),
 *   },
 * })
 * await counter.execute("add", {})
 * counter.actions.subscribe((actions) => console.log(Object.keys(actions))) // [ "add", "reset" ]
 * ```
 */
export function createAgenticService(definition: ServiceDefinition): OwnService {
  const { name, description } = definition
  const { failures, report } = createFailures()
  const states = createMembers(definition.states, {
    kind: "state",
    create: (_, declared) => createStateMember(declared),
    report,
  })
  const actions = createMembers(definition.actions, {
    kind: "action",
    create: (key, declared) => createActionMember(key, declared, report),
    report,
  })
  const links = createMembers(definition.links, { kind: "link", create: createLinkMember, report })
  const declared = { states: states.declared, actions: actions.declared, links: links.declared }

  return assembleService({ name, description, states, actions, links, declared, failures })
}
