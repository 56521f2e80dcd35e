import { hasMethod, memberOf } from "@x/tool-schemas/json"
import { ServiceError } from "../service-error.js"
import type { Observe, Source } from "../sources/source.js"
import { source } from "../sources/stated-source.js"

/** What is used of a foreign service. */
export interface ForeignService {
  /** The object itself, by which it is known again. */
  readonly identity: object
  /** A name it has of its own, if it says anything. */
  readonly name: string | undefined
  /** A description it has of its own. */
  readonly description: string | undefined
  /** Its map of states; says nothing in a service without. */
  readonly states: Source<unknown>
  /** Its map of actions. */
  readonly actions: Source<unknown>
  /** Its map of links; says nothing in a service without. */
  readonly links: Source<unknown>
  /** Descriptions of its links by key, where it has them. */
  readonly linkDescriptions: unknown
  /** Runs an action that takes one parameter or none. */
  execute(action: string, input: unknown): unknown
}

/** Tells a foreign service by its shape. Throws a `ServiceError` that says what was found and what is expected. */
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

/** The interface says that a map which is a function is an `Observe`. One with members of its own, as a `makeVar` has, is not. */
function isObserve(value: unknown): value is Observe<unknown> {
  return typeof value === "function" && Reflect.ownKeys(value).every((key) => everyFunctionHas.has(key))
}

const everyFunctionHas: ReadonlySet<PropertyKey> = new Set(["length", "name", "prototype", "arguments", "caller"])

/** An `Observe` that is a method needs its object; an observable brings its own. */
function sourceOf(candidate: object, value: unknown): Source<unknown> {
  return isObserve(value) ? source.observe(value.bind(candidate)) : value
}

/** `@adobe/data` calls every service "agentic-service", which names none. */
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
