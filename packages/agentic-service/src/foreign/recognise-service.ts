import { hasMethod, memberOf } from "@x/base"
import { ServiceError } from "../service-error.js"
import type { Observe, Source } from "../sources/source.js"
import { source } from "../sources/stated-source.js"

/** The used parts of a foreign service. */
export interface ForeignService {
  /** The object itself, which identifies it. */
  readonly identity: object
  /** Its own name, if meaningful. */
  readonly name: string | undefined
  /** Its own description. */
  readonly description: string | undefined
  /** Its map of states; emits nothing if missing. */
  readonly states: Source<unknown>
  /** Its map of actions. */
  readonly actions: Source<unknown>
  /** Its map of links; emits nothing if missing. */
  readonly links: Source<unknown>
  /** The descriptions of links by key; absent if the service gives none. */
  readonly linkDescriptions: unknown
  /** Runs an action with at most one parameter. */
  execute(action: string, input: unknown): unknown
}

/**
 * Recognises a foreign service by its shape.
 *
 * @throws ServiceError with the found and the expected shape.
 */
export function recogniseService(candidate: unknown): ForeignService {
  if (typeof candidate !== "object" || candidate === null) throw notAService(describe(candidate))
  const read = (key: string): unknown => readMember(candidate, key)
  const execute = read("execute")
  if (typeof execute !== "function") throw notAService('an object without the function "execute"')
  if (!isMapSource(read("actions"))) throw notAService('an object without an observable "actions"')
  for (const map of ["states", "links"]) {
    if (read(map) !== undefined && !isMapSource(read(map)))
      throw notAService(`an object whose "${map}" is no observable`)
  }
  return {
    identity: candidate,
    name: nameOf(read("name"), read("serviceName")),
    description: textOf(read("description")),
    states: sourceOf(candidate, read("states")),
    actions: sourceOf(candidate, read("actions")),
    links: sourceOf(candidate, read("links")),
    linkDescriptions: read("linkDescriptions"),
    execute: (action, input) => Reflect.apply(execute, candidate, [action, input]),
  }
}

function readMember(candidate: object, key: string): unknown {
  try {
    return memberOf(candidate, key)
  } catch (cause) {
    throw notAService(`an object whose "${key}" throws`, cause)
  }
}

function isMapSource(value: unknown): boolean {
  return isObserve(value) || ["subscribe", Symbol.observable, "@@observable"].some((key) => hasMethod(value, key))
}

/**
 * Checks for an `Observe`: the interface defines a function map as one. A function with members, such as a `makeVar`, is
 * something else.
 */
function isObserve(value: unknown): value is Observe<unknown> {
  return typeof value === "function" && Reflect.ownKeys(value).every((key) => everyFunctionHas.has(key))
}

const everyFunctionHas: ReadonlySet<PropertyKey> = new Set(["length", "name", "prototype", "arguments", "caller"])

/** Returns the source of a map. An `Observe` method needs its object; an observable does not. */
function sourceOf(candidate: object, value: unknown): Source<unknown> {
  return isObserve(value) ? source.observe(value.bind(candidate)) : value
}

/** Returns the first meaningful name. `@adobe/data` calls every service "agentic-service". */
function nameOf(...names: readonly unknown[]): string | undefined {
  return names.map(textOf).find((name) => name !== undefined && name !== "agentic-service")
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}

function describe(value: unknown): string {
  return value === null ? "null" : typeof value
}

function notAService(found: string, cause?: unknown): ServiceError {
  const message = `found ${found}, expected a service with "states", "actions" and "execute"`
  return new ServiceError(message, { code: "not_a_service", ...(cause === undefined ? {} : { cause }) })
}
