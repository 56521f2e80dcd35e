import { assembleService, isBranded } from "../assemble-service.js"
import type { Callable } from "../calls/execute-action.js"
import { createLiveMap } from "../maps/live-map.js"
import { hasMethod, memberOf } from "../member-of.js"
import type { Outcome } from "../outcome.js"
import { createFailures } from "../report.js"
import type { AgenticService } from "../service.js"
import { createForeignActions } from "./foreign-actions.js"
import { createForeignFeed, createForeignLinks, toForeignState } from "./foreign-maps.js"
import { type ForeignService, recogniseService } from "./recognise-service.js"

/** How a foreign service is taken. */
export interface ForeignOptions {
  /** The name to give it. Default: its own `name`, else its `serviceName` where that says anything, else `"service"`. */
  readonly name?: string
  /** What a string stands for that an action returns: an error message, as `@adobe/data` has it, or data. Default `"error"`. */
  readonly stringResults?: "error" | "data"
}

/**
 * Takes anything that looks like an agentic service: one of this package (given back as it is), the original
 * interface whose `execute` answers an error message or nothing, and services of `@adobe/data` since 0.9.45.
 * The same service always gives the same result, until that is closed; so what it was first taken with counts.
 * The services it links to are taken in the same way. Throws a `ServiceError` with code `not_a_service` otherwise.
 *
 * @example
 * ```ts
 * import { toAgenticService } from "@x/agentic-service"
 * import { of } from "rxjs"
 *
 * const hero = toAgenticService(
 *   {
 *     states: of({ hp: { schema: { type: "number" }, value: 10 } }),
 *     actions: of({ rest: { description: "Sleep", schema: false, execute: async () => {} } }),
 *     execute: async () => "nobody sleeps here",
 *   },
 *   { name: "hero" },
 * )
 * console.log(await hero.execute("rest", {})) // { ok: false, message: "nobody sleeps here", … }
 * ```
 */
export function toAgenticService(candidate: unknown, options: ForeignOptions = {}): AgenticService {
  if (isAgenticService(candidate)) return candidate
  const foreign = recogniseService(candidate)
  const known = wrapped.get(foreign.identity)
  if (known) return known
  const { name: _name, ...forChildren } = options
  const service = wrapService(foreign, {
    ...options,
    wrapChild: (child) => toAgenticService(child, forChildren),
    forget: () => wrapped.delete(foreign.identity),
  })
  wrapped.set(foreign.identity, service)
  return service
}

const wrapped = new WeakMap<object, AgenticService>()

/** Ours by its brand; or written by hand against our interface, which shows in what only that has. */
function isAgenticService(candidate: unknown): candidate is AgenticService {
  if (isBranded(candidate)) return true
  const methods = hasMethod(candidate, "execute") && hasMethod(candidate, "close")
  const maps = ["states", "actions", "links", "failures"].every((map) =>
    hasMethod(memberOf(candidate, map), "subscribe"),
  )
  return methods && maps && typeof memberOf(candidate, "declared") === "object"
}

/** How a recognised service is wrapped. */
interface WrapOptions {
  /** The name to give it instead of its own. */
  readonly name?: string | undefined
  /** What a string stands for that an action returns. Default `"error"`. */
  readonly stringResults?: "error" | "data"
  /** Wraps a service it links to. */
  wrapChild(child: unknown): AgenticService
  /** Is told when the wrapper is closed. */
  forget(): void
}

/** Gives a foreign service our interface. Neither the service nor anything it emits is written to. */
function wrapService(foreign: ForeignService, options: WrapOptions): AgenticService {
  const { failures, report } = createFailures()
  const name = options.name ?? foreign.name ?? "service"
  const toAction = createForeignActions({
    foreign,
    report,
    stringsAreErrors: options.stringResults !== "data",
    callee: () => callee,
  })
  const states = createLiveMap(
    createForeignFeed({ kind: "state", source: foreign.states, toItem: toForeignState, report }),
  )
  const actions = createLiveMap<Callable<Outcome>>(
    createForeignFeed({ kind: "action", source: foreign.actions, toItem: toAction, report }),
  )
  const links = createLiveMap(
    createForeignFeed({
      kind: "link",
      source: foreign.links,
      toItem: createForeignLinks(foreign, options.wrapChild),
      report,
    }),
  )
  const declared = { states: {}, actions: {}, links: {} }
  const callee = { name, actions: actions.changes, declared }
  const service = assembleService({
    name,
    description: foreign.description,
    states,
    actions,
    links,
    declared,
    failures,
  })
  return {
    ...service,
    close: () => {
      options.forget()
      service.close()
    },
  }
}
