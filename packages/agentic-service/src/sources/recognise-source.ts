import { hasMethod, memberOf } from "@x/tool-schemas/json"
import type { Observer } from "rxjs"
import { ServiceError } from "../service-error.js"
import { isPromise, refuseFunction, refuseReactive } from "./refuse-reactive.js"
import type { Source } from "./source.js"

/** A source whose kind is known: a value that never changes, or something that can be opened. */
export type Recognised<Value> = Constant<Value> | Kind<Value>

/** A value that never changes. */
interface Constant<Value> {
  /** Tells the two apart. */
  readonly constant: true
  /** The value. */
  readonly value: Value
}

/** A kind of source, and how it is followed. */
export interface Kind<Value> {
  /** Tells the two apart. */
  readonly constant: false
  /**
   * Starts it. May report before it returns, and may throw.
   *
   * @returns What stops it; may throw.
   */
  open(listener: Listener<Value>): () => void
  /** Whether each report is read from the source at that moment, so that reports in the wrong order mislead nobody. */
  readonly isRead: boolean
  /** Whether it tells of what a pipe begins with, too. */
  readonly tapped?: true
}

/** Who is told what a source says; throws nothing into the source. */
export interface Listener<Value> {
  /** A value. */
  next(value: Value): void
  /** What a pipe begins with has said something; told before what comes of it. Only of a {@link Kind.tapped} kind. */
  root?(value: unknown): void
  /** The pipe has failed, what it begins with goes on, and has said something: it may be opened again. As above. */
  again?(): void
  /** It failed, and may speak again only where it `goesOn`. */
  error(cause: unknown, goesOn?: boolean): void
  /** It says nothing more. */
  complete(): void
}

/**
 * Tells the kind of a source by its members, without calling any. A store comes first even where it also is an observable,
 * because what it returns when read is the truth.
 *
 * @throws ServiceError `invalid_definition` for what changes by itself and is of no kind that can be followed, and for a
 * function, which may be a reader or a writer: `source.read` and `source.observe` say which.
 */
export function recogniseSource<Value>(source: Source<Value>): Recognised<Value> {
  // What is told here by its members is not known to the compiler, which sees any value at all in the union.
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

/** Whether a value is served as it is now, for ever. Whatever cannot be looked at is not. */
export function isConstant(source: unknown): boolean {
  try {
    return recogniseSource(source).constant
  } catch {
    return false
  }
}

const readers = ["getSnapshot", "getState", "get", "getCurrentResult", "peek", "getValue"] as const

/** The first reader that there is. One that takes a key reads a part; of an observable `getValue` is read by its own kind. */
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

/** Read once it is subscribed and again whenever it says that it changed; what it passes along is ignored. */
function storeKind<Value>(store: object, reader: (typeof readers)[number]): Kind<Value> {
  const open = (listener: Listener<Value>): (() => void) => {
    let opening = true
    const read = (): void => {
      try {
        // What a store gives is what its type says, or a lie of its author.
        listener.next(Reflect.apply(methodOf(store, reader), store, []) as Value)
      } catch (cause) {
        listener.error(cause, true)
      }
    }
    const changed = { ...handOn(listener), next: () => opening || read() }
    // An actor that errs without an error listener takes the process down; what is no observable may take only functions.
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

/** What says that it is an observable is handed an observer. Where it knows its newest value (a BehaviorSubject), that is read. */
function observableKind<Value>(source: object): Kind<Value> {
  const isRead = hasMethod(source, "getValue")
  const current = (emitted: Value): Value =>
    isRead && memberOf(source, "closed") !== true
      ? (Reflect.apply(methodOf(source, "getValue"), source, []) as Value)
      : emitted
  return {
    constant: false,
    isRead,
    // Emitting inside an emission makes a BehaviorSubject tell its later observers 2 and then 1; what it holds is right.
    open: (listener) =>
      openObservable(source, { ...handOn(listener), next: (value: Value) => listener.next(current(value)) }),
  }
}

/** Hands an observer to what says that it is an observable. */
export function openObservable<Value>(source: object, listener: Listener<Value>): () => void {
  return subscribe(observableOf(source), handOn(listener))
}

/**
 * Follows what has `subscribe` alone, by the contract of Svelte's stores: it calls whoever subscribes at once. What says nothing
 * then may tell of events, which are no values. It takes a function or an observer, so it gets what is both.
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
  const found = 'found a "subscribe" that told no value when it was called, as of events'
  const instead = "{ get: () => …, subscribe: (notify) => it.subscribe(notify) }, which is read after each event"
  return new ServiceError(`${found}; hand in ${instead}, or source.observe((notify) => …)`, {
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

/** A generator hands out itself and cannot be started again, so it is followed once. */
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
  return new ServiceError("found an async generator that was followed before; hand in what can be iterated again", {
    code: "invalid_definition",
  })
}

function subscribe(source: object, observer: unknown): () => void {
  return toStop(Reflect.apply(methodOf(source, "subscribe"), source, [observer]), '"subscribe"')
}

/**
 * Makes a function that ends a subscription of what a subscriber was answered.
 *
 * @throws ServiceError `invalid_definition` where the answer cannot end anything.
 */
export function toStop(answer: unknown, asked: string): () => void {
  if (typeof answer === "function") return () => Reflect.apply(answer, undefined, [])
  for (const name of ["unsubscribe", "dispose"]) {
    if (hasMethod(answer, name)) return () => Reflect.apply(methodOf(answer, name), answer, [])
  }
  throw new ServiceError(`${asked} answered ${answer === null ? "null" : typeof answer}, expected what ends it`, {
    code: "invalid_definition",
  })
}

/** The listener as plain functions: a subscriber has them from its class. */
function handOn<Value>(listener: Listener<Value>): Observer<Value> {
  return {
    next: (value) => listener.next(value),
    error: (cause: unknown) => listener.error(cause),
    complete: () => listener.complete(),
  }
}

/** The well-known method, under the symbol or the string that stands in for it where nobody has defined the symbol. */
function interopOf(source: unknown): (() => unknown) | undefined {
  const method = memberOf(source, Symbol.observable) ?? memberOf(source, "@@observable")
  return typeof method === "function" ? (method as () => unknown) : undefined
}

/** What an interop observable hands out, asked anew on every subscription. */
function observableOf(source: object): object {
  const method = interopOf(source)
  const observable: unknown = method && Reflect.apply(method, source, [])
  return typeof observable === "object" && observable !== null ? observable : source
}

function methodOf(value: unknown, name: PropertyKey): (...input: unknown[]) => unknown {
  // `hasMethod` has found it.
  return memberOf(value, name) as (...input: unknown[]) => unknown
}
