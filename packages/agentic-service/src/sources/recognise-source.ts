import { hasMethod, memberOf } from "@x/base"
import type { Observer } from "rxjs"
import { ServiceError } from "../service-error.js"
import { isPromise, refuseFunction, refuseReactive } from "./refuse-reactive.js"
import type { Source } from "./source.js"

/** A recognised source: a constant, or a kind that can be opened. */
export type Recognised<Value> = Constant<Value> | Kind<Value>

/** A value that never changes. */
interface Constant<Value> {
  /** The discriminant. */
  readonly constant: true
  /** The value. */
  readonly value: Value
}

/** A kind of source. */
export interface Kind<Value> {
  /** The discriminant. */
  readonly constant: false
  /**
   * Opens it. May emit before returning, and may throw.
   *
   * @returns A function that stops it; may throw.
   */
  open(listener: Listener<Value>): () => void
  /** Whether each emission is read from the source at that moment, so that their order does not matter. */
  readonly isRead: boolean
  /** Whether it reports a pipe's root, too. */
  readonly tapped?: true
}

/** A listener of a source; it never throws into the source. */
export interface Listener<Value> {
  /** Called with a value. */
  next(value: Value): void
  /** Called with a value of the pipe's root, before its result. Only for {@link Kind.tapped} kinds. */
  root?(value: unknown): void
  /** Called when the pipe has failed, but its root continues and has emitted: it may be opened again. Only for tapped kinds. */
  again?(): void
  /** Called with an error. The source may emit again only if it `goesOn`. */
  error(cause: unknown, goesOn?: boolean): void
  /** Called when it emits no more. */
  complete(): void
}

/**
 * Recognises a source by its members, without calling any. A store wins even if it is also an observable, because reading it
 * returns the truth.
 *
 * @throws ServiceError `invalid_definition` for a reactive object of no supported kind, and for a function, which may be a
 *   reader or a writer: `source.read` and `source.observe` say which.
 */
export function recogniseSource<Value>(source: Source<Value>): Recognised<Value> {
  // The compiler cannot follow these checks, because the union contains any value.
  if (typeof source !== "function" && (typeof source !== "object" || source === null)) return constant(source as Value)
  const isObservable = interopOf(source) !== undefined
  const reader = hasMethod(source, "subscribe") ? readerOf(source, isObservable) : undefined
  if (reader !== undefined) return storeKind(source as object, reader)
  if (isObservable) return observableKind(source as object)
  refuseReactive(source)
  if (hasMethod(source, "subscribe")) return callableKind(source as object)
  if (isPromise(source)) return promiseKind(source as PromiseLike<Value>)
  if (hasMethod(source, Symbol.asyncIterator)) return iterableKind(source as AsyncIterable<Value>)
  if (typeof source === "function") throw refuseFunction(source)
  return constant(source as Value)
}

/** Checks whether a value is served unchanged forever. An unreadable value is not. */
export function isConstant(source: unknown): boolean {
  try {
    return recogniseSource(source).constant
  } catch {
    return false
  }
}

const readers = ["getSnapshot", "getState", "get", "getCurrentResult", "peek", "getValue"] as const

/** Returns the first reader. A reader with a key reads a part. An observable's `getValue` belongs to its own kind. */
function readerOf(source: unknown, isObservable: boolean): (typeof readers)[number] | undefined {
  return readers.find((name) => {
    const reader = memberOf(source, name)
    if (typeof reader !== "function" || (isObservable && name === "getValue")) return false
    return reader.length === 0 || !takesKey.has(name)
  })
}

const takesKey: ReadonlySet<string> = new Set(["get", "getValue"])

function constant<Value>(value: Value): Constant<Value> {
  return { constant: true, value }
}

/** Creates a store's kind: read when subscribed to, and again at every change. Passed values are ignored. */
function storeKind<Value>(store: object, reader: (typeof readers)[number]): Kind<Value> {
  const open = (listener: Listener<Value>): (() => void) => {
    let opening = true
    const read = (): void => {
      try {
        // A store returns its declared type, unless its author is wrong.
        listener.next(Reflect.apply(methodOf(store, reader), store, []) as Value)
      } catch (cause) {
        listener.error(cause, true)
      }
    }
    const changed = { ...handOn(listener), next: () => opening || read() }
    // An actor that fails without an error listener ends the process. Anything but an observable may accept only functions.
    const stop =
      interopOf(store) === undefined
        ? subscribe(store, Object.assign(changed.next, changed))
        : subscribe(observableOf(store), changed)
    opening = false
    read()
    return stop
  }
  return { constant: false, isRead: true, open }
}

/** Creates an observable's kind. A known newest value (a BehaviorSubject's) is read. */
function observableKind<Value>(source: object): Kind<Value> {
  const isRead = hasMethod(source, "getValue")
  const current = (emitted: Value): Value =>
    isRead && memberOf(source, "closed") !== true
      ? (Reflect.apply(methodOf(source, "getValue"), source, []) as Value)
      : emitted
  return {
    constant: false,
    isRead,
    // If a BehaviorSubject emits during an emission, its later observers get 2 and then 1; its held value is right.
    open: (listener) =>
      openObservable(source, { ...handOn(listener), next: (value: Value) => listener.next(current(value)) }),
  }
}

/** Subscribes an observer to an observable. */
export function openObservable<Value>(source: object, listener: Listener<Value>): () => void {
  return subscribe(observableOf(source), handOn(listener))
}

/**
 * Follows anything with only `subscribe`, by the contract of Svelte's stores: it calls its listener immediately. Without an
 * immediate call it may emit events, which are no values. It accepts a function or an observer, so our listener is both.
 */
function callableKind<Value>(source: object): Kind<Value> {
  const open = (listener: Listener<Value>): (() => void) => {
    let spoke = false
    const observer = handOn({
      ...listener,
      next(value: Value) {
        spoke = true
        listener.next(value)
      },
      error(cause: unknown) {
        spoke = true
        listener.error(cause)
      },
    })
    const stop = subscribe(source, Object.assign(observer.next, observer))
    if (spoke) return stop
    stop()
    throw refuseSilent()
  }
  return { constant: false, isRead: false, open }
}

function refuseSilent(): ServiceError {
  const found = 'found a "subscribe" that emitted no value when called, like one of events'
  const instead = "{ get: () => …, subscribe: (notify) => it.subscribe(notify) }, which is read after each event"
  return new ServiceError(`${found}; pass ${instead}, or source.observe((notify) => …)`, {
    code: "invalid_definition",
  })
}

function promiseKind<Value>(promise: PromiseLike<Value>): Kind<Value> {
  const open = (listener: Listener<Value>): (() => void) => {
    promise.then(
      (value) => {
        listener.next(value)
        listener.complete()
      },
      (cause: unknown) => listener.error(cause),
    )
    return () => {}
  }
  return { constant: false, isRead: false, open }
}

/** Follows an async iterable. A generator cannot be restarted, so it is followed once. */
function iterableKind<Value>(iterable: AsyncIterable<Value>): Kind<Value> {
  const open = (listener: Listener<Value>): (() => void) => {
    if (usedUp.has(iterable)) throw isUsedUp()
    const iterator = iterable[Symbol.asyncIterator]()
    if (Object.is(iterator, iterable)) usedUp.add(iterable)
    let stopped = false
    const pull = async (): Promise<void> => {
      for (let step = await iterator.next(); !stopped; step = await iterator.next()) {
        if (step.done) return listener.complete()
        listener.next(step.value)
      }
    }
    pull().catch((cause: unknown) => listener.error(cause))
    return () => {
      stopped = true
      iterator.return?.().then(undefined, () => {})
    }
  }
  return { constant: false, isRead: false, open }
}

const usedUp = new WeakSet<object>()

function isUsedUp(): ServiceError {
  return new ServiceError(
    "found an async generator that was already followed; pass an iterable that can be iterated again",
    {
      code: "invalid_definition",
    },
  )
}

function subscribe(source: object, observer: unknown): () => void {
  return toStop(Reflect.apply(methodOf(source, "subscribe"), source, [observer]), '"subscribe"')
}

/**
 * Returns a function that ends a subscription, from a `subscribe` function's result.
 *
 * @throws ServiceError `invalid_definition` if the result cannot end anything.
 */
export function toStop(answer: unknown, asked: string): () => void {
  if (typeof answer === "function") return () => Reflect.apply(answer, undefined, [])
  for (const name of ["unsubscribe", "dispose"]) {
    if (hasMethod(answer, name)) return () => Reflect.apply(methodOf(answer, name), answer, [])
  }
  throw new ServiceError(
    `${asked} returned ${answer === null ? "null" : typeof answer}, expected a function that ends the subscription`,
    {
      code: "invalid_definition",
    },
  )
}

/** Returns the listener as plain functions, since a subscriber inherits them from its class. */
function handOn<Value>(listener: Listener<Value>): Observer<Value> {
  return {
    next: (value) => listener.next(value),
    error: (cause: unknown) => listener.error(cause),
    complete: () => listener.complete(),
  }
}

/** Returns the interop method, under the symbol or its substitute string. */
function interopOf(source: unknown): (() => unknown) | undefined {
  const method = memberOf(source, Symbol.observable) ?? memberOf(source, "@@observable")
  return typeof method === "function" ? (method as () => unknown) : undefined
}

/** Returns the observable of an interop object, requested anew for every subscription. */
function observableOf(source: object): object {
  const method = interopOf(source)
  const observable: unknown = method && Reflect.apply(method, source, [])
  return typeof observable === "object" && observable !== null ? observable : source
}

function methodOf(value: unknown, name: PropertyKey): (...input: unknown[]) => unknown {
  // `hasMethod` has found it.
  return memberOf(value, name) as (...input: unknown[]) => unknown
}
