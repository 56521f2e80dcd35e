import { isBranded } from "../brand.js"
import type { AgenticService } from "../service.js"
import { hasMethod, memberOf } from "../sources/member-of.js"
import { recogniseService } from "./recognise-service.js"
import { wrapService } from "./wrap-service.js"

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
