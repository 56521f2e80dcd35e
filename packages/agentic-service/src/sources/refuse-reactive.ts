import { hasMethod, memberOf } from "@x/base"
import { ServiceError } from "../service-error.js"
import { type Look, libraries } from "./reactive-looks.js"

/**
 * Rejects a reactive object that cannot be followed, with its probable name and the line to write instead. As a constant it
 * would be served in its current form forever.
 *
 * @throws ServiceError `invalid_definition`.
 */
export function refuseReactive(value: object): void {
  const found = lookOf(value) ?? (isProxy(value) ? proxy : undefined)
  if (found === undefined) return
  throw invalid(`found ${found.name}, which cannot be followed by itself; pass ${found.instead}`)
}

/** Recognises an object that cannot be followed by its own members. */
export function lookOf(value: object): Pick<Look, "name" | "instead"> | undefined {
  return looks.find(({ test }) => test(value))
}

/** Creates the error for a function: without a call, a reader, a writer and an `Observe` look alike. */
export function refuseFunction(value: { readonly length: number }): ServiceError {
  const takes = value.length === 0 ? "nothing, such as a signal's accessor" : "an argument, so it may be a writer"
  const observe = 'source.observe((notify) => …) if it reports values, such as by "effect(() => notify(it()))"'
  const read = "source.read(() => it()) if it returns the value"
  return invalid(`found a function that takes ${takes}; it was not called; pass ${observe}, or ${read}`)
}

/** Recognises a promise by its class: other objects with a `then`, such as queries, start when it is called. */
export function isPromise(value: unknown): boolean {
  if (!hasMethod(value, "then")) return false
  if (Object.prototype.toString.call(value) === "[object Promise]") return true
  const made = memberOf(value, "constructor")
  return ["resolve", "reject", "all"].every((name) => hasMethod(made, name))
}

function invalid(message: string): ServiceError {
  return new ServiceError(message, { code: "invalid_definition" })
}

/** Objects that can only be described; named libraries come first. */
const described: readonly Look[] = [
  {
    name: "a stream, whose data only its first reader gets",
    test: (value) => hasMethod(value, "getReader") || (hasMethod(value, "pipe") && hasMethod(value, "read")),
    instead: "source.observe((notify) => …), which calls notify with each value and returns a function that stops it",
  },
  {
    name: 'an object whose "subscribe" reports events, such as one of Loro',
    test: (value) => hasMethod(value, "subscribe") && hasMethod(value, "toJSON") && typeof value === "object",
    instead: "{ get: () => it.toJSON(), subscribe: (notify) => it.subscribe(notify) }",
  },
  {
    name: 'an object whose "subscribe" takes more than a listener',
    test: (value) => lengthOf(value, "subscribe") > 1,
    instead: "{ get: () => …, subscribe: (notify) => … }, written for its own API",
  },
  {
    name: "an object that reports changes through its own API",
    test: (value) =>
      typeof value === "object" && [...channels, ...Object.keys(value)].some((key) => isChannel(value, key)),
    instead:
      "source.observe((notify) => …), which calls notify now and after each change and returns a function that stops it",
  },
  {
    name: "a signal without a way to subscribe",
    test: (value) => !hasMethod(value, "subscribe") && lengthOf(value, "get") === 0,
    instead: "source.observe((notify) => …), which calls notify after each change and returns a function that stops it",
  },
  {
    name: 'an object with a "then" that is not a promise, such as a query that runs once it is awaited',
    test: (value) => hasMethod(value, "then") && !isPromise(value),
    instead: "a promise of its result, or source.observe((notify) => …) where the result changes",
  },
]

const looks: readonly Look[] = [...libraries, ...described]

/** Tested last, and only for the outermost value, because it inspects everything inside. */
const proxy: Pick<Look, "name" | "instead"> = {
  name: "a proxy, such as Valtio's",
  instead: "{ get: () => snapshot(it), subscribe: (notify) => subscribe(it, notify) }",
}

/** Methods, own or inherited, of objects that report changes. */
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

/** Returns a method's number of parameters; `NaN` without such a method. */
function lengthOf(value: object, name: string): number {
  const method = memberOf(value, name)
  return typeof method === "function" ? method.length : Number.NaN
}

/** Checks for a proxy: plain data that cannot be cloned, without functions in it. */
function isProxy(value: object): boolean {
  if (!isPlain(value)) return false
  try {
    structuredClone(value)
    return false
  } catch (cause) {
    // Data that is nested too deep to clone is still data.
    return !(cause instanceof RangeError) && !holdsFunction(value, new Set())
  }
}

/** Checks for a list, or an object without a class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

function holdsFunction(value: unknown, inside: Set<unknown>): boolean {
  if (typeof value === "function" || typeof value === "symbol") return true
  if (typeof value !== "object" || value === null || inside.has(value)) return false
  inside.add(value)
  // A class instance may contain anything, so only plain data is inspected.
  return !isPlain(value) || Object.values(value).some((item) => holdsFunction(item, inside))
}
