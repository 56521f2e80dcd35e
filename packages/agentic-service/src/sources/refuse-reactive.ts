import { hasMethod, memberOf } from "@x/tool-schemas/json"
import { ServiceError } from "../service-error.js"
import { type Look, libraries } from "./reactive-looks.js"

/**
 * Refuses what changes by itself and cannot be followed, by the name of what it looks like, with the line to write instead.
 * Taken for a value it would be served as it is now, for ever.
 *
 * @throws ServiceError `invalid_definition`.
 */
export function refuseReactive(value: object): void {
  const found = lookOf(value) ?? (isProxy(value) ? proxy : undefined)
  if (found === undefined) return
  throw invalid(`found ${found.name}, which cannot be followed by itself; hand in ${found.instead}`)
}

/** Finds what something that cannot be followed looks like by its own members. */
export function lookOf(value: object): Pick<Look, "name" | "instead"> | undefined {
  return looks.find(({ test }) => test(value))
}

/** The error for a function: without being called, a reader, a writer and an `Observe` cannot be told apart. */
export function refuseFunction(value: { readonly length: number }): ServiceError {
  const takes = value.length === 0 ? "nothing, such as a signal's accessor" : "an argument, so that it may be a writer"
  const observe = 'source.observe((notify) => …) where it reports values, such as by "effect(() => notify(it()))"'
  const read = "source.read(() => it()) where it returns the value"
  return invalid(`found a function that takes ${takes}; it was not called; hand in ${observe}, or ${read}`)
}

/** Tells a promise by its class: what merely has a `then`, such as a query, begins to run once that is called. */
export function isPromise(value: unknown): boolean {
  if (!hasMethod(value, "then")) return false
  if (Object.prototype.toString.call(value) === "[object Promise]") return true
  const made = memberOf(value, "constructor")
  return ["resolve", "reject", "all"].every((name) => hasMethod(made, name))
}

function invalid(message: string): ServiceError {
  return new ServiceError(message, { code: "invalid_definition" })
}

/** What can only be described; what has a name comes before it. */
const described: readonly Look[] = [
  {
    name: "a stream, whose data goes to whoever reads it first",
    test: (value) => hasMethod(value, "getReader") || (hasMethod(value, "pipe") && hasMethod(value, "read")),
    instead: "source.observe((notify) => …), which calls notify with each value and returns what stops it",
  },
  {
    name: 'an object whose "subscribe" tells of events, such as one of Loro',
    test: (value) => hasMethod(value, "subscribe") && hasMethod(value, "toJSON") && typeof value === "object",
    instead: "{ get: () => it.toJSON(), subscribe: (notify) => it.subscribe(notify) }",
  },
  {
    name: 'an object whose "subscribe" takes more than a listener',
    test: (value) => lengthOf(value, "subscribe") > 1,
    instead: "{ get: () => …, subscribe: (notify) => … }, whose functions call it as it wants to be called",
  },
  {
    name: "an object that tells of changes in a way of its own",
    test: (value) =>
      typeof value === "object" && [...channels, ...Object.keys(value)].some((key) => isChannel(value, key)),
    instead: "source.observe((notify) => …), which calls notify now and after each change and returns what stops it",
  },
  {
    name: "a signal without a way to subscribe",
    test: (value) => !hasMethod(value, "subscribe") && lengthOf(value, "get") === 0,
    instead: "source.observe((notify) => …), which calls notify after each change and returns what stops it",
  },
  {
    name: 'an object with a "then" that is no promise, such as a query that runs once it is awaited',
    test: (value) => hasMethod(value, "then") && !isPromise(value),
    instead: "a promise of its result, or source.observe((notify) => …) where the result changes",
  },
]

const looks: readonly Look[] = [...libraries, ...described]

/** Told last, and of the outermost value alone: it takes a look at all that is inside. */
const proxy: Pick<Look, "name" | "instead"> = {
  name: "a proxy, such as Valtio's",
  instead: "{ get: () => snapshot(it), subscribe: (notify) => subscribe(it, notify) }",
}

/** What tells of changes has such a method, its own or of its class. */
const channels = [
  "observe",
  "onChange",
  "subscribeChanges",
  "addListener",
  "addEventListener",
  "on",
  "listen",
  "watch",
  "publish",
]
const channelNames = /^(add\w*Listener|subscribe\w+|observe|onChange|on|listen|watch|publish)$/

function isChannel(value: object, key: string): boolean {
  return channelNames.test(key) && hasMethod(value, key)
}

/** How many arguments a method takes; `NaN` where there is none. */
function lengthOf(value: object, name: string): number {
  const method = memberOf(value, name)
  return typeof method === "function" ? method.length : Number.NaN
}

/** Only a proxy, or something with functions in it, is plain data that cannot be copied. */
function isProxy(value: object): boolean {
  if (!isPlain(value)) return false
  try {
    structuredClone(value)
    return false
  } catch (cause) {
    // What is nested too deep to be copied may be data all the same.
    return !(cause instanceof RangeError) && !holdsFunction(value, new Set())
  }
}

/** Tells a list or an object that is of no class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

function holdsFunction(value: unknown, inside: Set<unknown>): boolean {
  if (typeof value === "function" || typeof value === "symbol") return true
  if (typeof value !== "object" || value === null || inside.has(value)) return false
  inside.add(value)
  // An instance of a class may be anything: only plain data is looked into.
  return !isPlain(value) || Object.values(value).some((item) => holdsFunction(item, inside))
}
