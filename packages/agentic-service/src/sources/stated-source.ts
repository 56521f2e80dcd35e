import { hasMethod, sameValue, toJson } from "@x/tool-schemas/json"
import { type InteropObservable, Observable, type Observer, type Subscriber } from "rxjs"
import { ServiceError } from "../service-error.js"
import { addPoll } from "./polls.js"
import { toStop } from "./recognise-source.js"
import type { Observe, Source, Store } from "./source.js"
import { toObservable } from "./to-observable.js"

/** How a function given to `source.read` is read again. */
export interface ReadOptions {
  /**
   * Emits, with any value, whenever the function would return another one. Default: none; the function is then read after each
   * action and once a second for as long as somebody follows it.
   */
  readonly changes?: Source<unknown>
}

/** The two things a function may be for a service. */
export interface StatedSources {
  /**
   * Makes a source of a function that returns the newest value. The function is called without arguments: when it is first
   * followed, then whenever `changes` emits. Without `changes` it is called after each action of this process and once a
   * second, and an equal value is not told again.
   */
  read<Value>(get: () => Value, options?: ReadOptions): Store<Value>
  /**
   * Makes a source of a function that takes a callback, calls it with each value, at once or later, and returns a function
   * that stops it. What it returns is an observable for `toObservable` and every operator of rxjs.
   */
  observe<Value>(start: Observe<Value>): InteropObservable<Value>
}

/**
 * Says what a function is. A bare function is never called as a source, because one that takes an argument may be a writer
 * (an Apollo `makeVar`, a flyd stream, a setter), and calling it would overwrite the application's value.
 *
 * @example
 * ```ts
 * import { source, state } from "@x/agentic-service"
 *
 * let title = "Untitled"
 * const listeners = new Set<() => void>()
 * export const setTitle = (next: string) => {
 *   title = next
 *   for (const listener of listeners) listener()
 * }
 *
 * export const read = state({ schema: { type: "string" }, value: source.read(() => title) })
 * export const observed = state({
 *   schema: { type: "string" },
 *   value: source.observe<string>((notify) => {
 *     const tell = () => notify(title)
 *     tell()
 *     listeners.add(tell)
 *     return () => listeners.delete(tell)
 *   }),
 * })
 * ```
 */
export const source: StatedSources = {
  read: (get, { changes } = {}) => (changes === undefined ? createPolled(get) : createSignalled(get, changes)),
  observe: <Value>(start: Observe<Value>) =>
    // Every observable of rxjs is one for other libraries as well; its type leaves that out.
    new Observable<Value>((subscriber) => follow(start, subscriber)) as unknown as InteropObservable<Value>,
}

/** Calls an observe function. @returns What stops it. */
function follow<Value>(start: Observe<Value>, subscriber: Subscriber<Value>): () => void {
  expectFunction(start, "source.observe")
  return toStop(
    start((value) => subscriber.next(value)),
    "the function given to source.observe",
  )
}

/** What a store's listener is, in truth: a function that is an observer as well. */
type Listener = (() => void) & Partial<Observer<unknown>>

/** Reads again whenever a source emits. A source that fails takes the value away. */
function createSignalled<Value>(get: () => Value, changes: Source<unknown>): Store<Value> {
  return {
    get: () => readWith(get),
    subscribe: (listener: Listener) =>
      toObservable(changes).subscribe({
        next: () => listener(),
        error: (cause: unknown) => listener.error?.(cause),
      }),
  }
}

/** Reads again and again; says that it changed where it did. */
function createPolled<Value>(get: () => Value): Store<Value> {
  return {
    get: () => readWith(get),
    subscribe(listener) {
      let last = take(get)
      return addPoll(() => {
        const next = take(get)
        if (isSame(last, next)) return
        last = next
        listener()
      })
    },
  }
}

/** What a function returned, as JSON, so that what is changed in place shows; or that it could not be had. */
type Taken = { readonly json: unknown } | { readonly thrown: unknown }

function take(get: () => unknown): Taken {
  try {
    return { json: toJson(readWith(get)) }
  } catch (thrown) {
    return { thrown }
  }
}

function isSame(last: Taken, next: Taken): boolean {
  if ("thrown" in last || "thrown" in next) return "thrown" in last && "thrown" in next
  return sameValue(last.json, next.json)
}

function readWith<Value>(get: () => Value): Value {
  expectFunction(get, "source.read")
  const value = get()
  if (!hasMethod(value, "then")) return value
  throw new ServiceError(
    "the function given to source.read returned a promise, expected the value; await it yourself and report it with source.observe((notify) => …)",
    { code: "invalid_definition" },
  )
}

function expectFunction(found: unknown, given: string): void {
  if (typeof found === "function") return
  throw new ServiceError(`${given} was given ${found === null ? "null" : typeof found}, expected a function`, {
    code: "invalid_definition",
  })
}
