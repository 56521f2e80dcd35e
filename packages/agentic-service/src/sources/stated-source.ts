import { hasMethod, sameValue, toJson } from "@x/base"
import { type InteropObservable, Observable, type Observer, type Subscriber } from "rxjs"
import { ServiceError } from "../service-error.js"
import { addPoll } from "./polls.js"
import { toStop } from "./recognise-source.js"
import type { Observe, Source, Store } from "./source.js"
import { toObservable } from "./to-observable.js"

/** Options of `source.read`. */
export interface ReadOptions {
  /**
   * Emits, with any value, whenever the function would return a new one. Default: none; the function is then called after each
   * action, and once a second while followed.
   */
  readonly changes?: Source<unknown>
}

/** The two wrappers that make a function a source. */
export interface StatedSources {
  /**
   * Creates a source from a function that returns the newest value. It is called without arguments: when first followed, then
   * whenever `changes` emits. Without `changes` it is called after each action of this process and once a second, and equal
   * values are not emitted again.
   */
  read<Value>(get: () => Value, options?: ReadOptions): Store<Value>
  /**
   * Creates a source from a function that takes a callback, calls it with each value, immediately or later, and returns a
   * function that stops it. The source is an observable for `toObservable` and every rxjs operator.
   */
  observe<Value>(start: Observe<Value>): InteropObservable<Value>
}

/**
 * Wraps functions as sources. A bare function is never called as a source, because one with a parameter may be a writer (an
 * Apollo `makeVar`, a flyd stream, a setter), and calling it would overwrite the application's value.
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
    // Every rxjs observable is also one for other libraries, which its type omits.
    new Observable<Value>((subscriber) => follow(start, subscriber)) as unknown as InteropObservable<Value>,
}

/** Calls an observe function. @returns A function that stops it. */
function follow<Value>(start: Observe<Value>, subscriber: Subscriber<Value>): () => void {
  expectFunction(start, "source.observe")
  return toStop(
    start((value) => subscriber.next(value)),
    "the function given to source.observe",
  )
}

/** A store's real listener: a function that also observes. */
type Listener = (() => void) & Partial<Observer<unknown>>

/** Creates a store that is read whenever a source emits. A failed source removes the value. */
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

/** Creates a store that is read periodically and reports changes. */
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

/** A function's result as JSON, which reveals changes in place; or its error. */
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
    "the function given to source.read returned a promise, expected a value; await it yourself and report it with source.observe((notify) => …)",
    { code: "invalid_definition" },
  )
}

function expectFunction(found: unknown, given: string): void {
  if (typeof found === "function") return
  throw new ServiceError(`${given} was given ${found === null ? "null" : typeof found}, expected a function`, {
    code: "invalid_definition",
  })
}
