import { hasMethod, memberOf } from "@x/tool-schemas/json"
import { Observable, type Subscriber, takeWhile } from "rxjs"
import { stopSafely } from "./open-kind.js"
import { type Kind, type Listener, openObservable, recogniseSource } from "./recognise-source.js"
import { originOf } from "./to-observable.js"

/**
 * Follows a pipe of rxjs operators (of any copy and version) at its beginning as well, where order and failure are decided: what
 * an operator holds back was said all the same, and what an operator throws leaves the beginning as it is. So a pipe that has
 * failed is opened again with the next value, and what it begins with is not subscribed a second time.
 *
 * @returns `undefined` for what is no pipe, or begins with what cannot be followed.
 */
export function tapPipe<Value>(source: unknown): Kind<Value> | undefined {
  const pipe = takeApart(source)
  if (pipe === undefined) return undefined
  const root = toRoot(pipe.beginning)
  if (root === undefined) return undefined
  const passing: Passing = {}
  return {
    constant: false,
    isRead: false,
    tapped: true,
    open: (listener) => openTapped<Value>(pipe, root, { ...listener, passing }),
  }
}

/** Opens the pipe upon a beginning that is connected to the root, and stays so when the pipe fails. */
function openTapped<Value>(pipe: Pipe, root: Root, { passing, ...listener }: Tapping<Value>): () => void {
  let failed = false
  let ended = false
  let held = 0
  let parked: Connection | undefined
  const park = (connection: Connection): void => {
    parked = connection
    connection.to = {
      ...deaf,
      next(value) {
        parked = undefined
        passing.on = { connection, value }
        listener.again?.()
        // Where nobody has taken it over.
        if (passing.on !== undefined) stopSafely(connection, () => {})
        passing.on = undefined
      },
    }
  }
  const beginning = new Observable<unknown>((subscriber) => {
    const taken = passing.on
    passing.on = undefined
    const to = hearing(subscriber, { root: listener.root, ended: () => (ended = true) })
    held += 1
    const connection = taken === undefined ? connect(root, to) : Object.assign(taken.connection, { to })
    if (taken !== undefined) to.next(taken.value)
    return () => {
      held -= 1
      if (failed && connection.alive && parked === undefined) park(connection)
      else connection.stop()
    }
  })
  const stop = openObservable<Value>(pipe.upon(beginning), {
    ...listener,
    next(value) {
      // What begins with a list of others, as a combination of rxjs 6 does, goes on by itself once it has that.
      if (ended) listener.root?.(value)
      listener.next(value)
    },
    error(cause) {
      failed = true
      listener.error(cause)
      // Others have subscribed what it begins with (`share`), or an operator has let go of it: a subject or store runs nothing.
      if (held === 0 && root.isHot && failed) park(connect(root, deaf))
    },
  })
  return () => {
    failed = false
    parked?.stop()
    stop()
  }
}

/** What goes on though the pipe has failed. */
interface Handed {
  readonly connection: Connection
  /** With what the pipe begins anew. */
  readonly value: unknown
}

/** Holds what is on its way from an opening that has failed to the next one, while that is being opened. */
interface Passing {
  on?: Handed | undefined
}

/** Who hears of an opening, and what the openings of one pipe have in common. */
interface Tapping<Value> extends Listener<Value> {
  readonly passing: Passing
}

/** A pipe, taken apart. */
interface Pipe {
  /** What the first operator is given. */
  readonly beginning: object
  /** The same operators upon another beginning. */
  upon(beginning: object): object
}

/** What rxjs makes with `lift` says what it was made of; its operator is given that when the pipe is subscribed. */
function takeApart(source: unknown): Pipe | undefined {
  const below = memberOf(source, "source")
  if (!hasMethod(source, "subscribe") || !hasMethod(below, "subscribe") || !memberOf(source, "operator"))
    return undefined
  // Both have a method, so both are objects.
  const [node, rest] = [source as object, takeApart(below)]
  return {
    beginning: rest?.beginning ?? (below as object),
    upon: (beginning) => Object.create(node, { source: { value: rest?.upon(beginning) ?? beginning } }),
  }
}

/** What a pipe begins with. */
interface Root {
  /** Whether it goes on whoever listens. */
  readonly isHot: boolean
  /** Opens it; `isWanted` says whether anybody still wants to hear it, also before this returns. */
  open(listener: Listener<unknown>, isWanted: () => boolean): () => void
}

function toRoot(beginning: object): Root | undefined {
  const origin = originOf(beginning)
  const isHot = hasMethod(beginning, "next")
  try {
    const kind = recogniseSource<unknown>(origin?.source ?? beginning)
    if (kind.constant) return undefined
    if (origin !== undefined || kind.isRead) return { isHot: isHot || kind.isRead, open: kind.open }
  } catch {
    // Whoever subscribes the pipe is told of it.
    return undefined
  }
  // An operator that has enough (`take`) closes what it was subscribed with, which an observable looks at while it emits; a
  // listener has no such thing, so it is asked before each value.
  const open: Root["open"] = (listener, isWanted) =>
    openObservable(takeWhile(isWanted)(beginning as Observable<unknown>), listener)
  return { isHot, open }
}

/** Who hears of a beginning. */
type Ear = Pick<Subscriber<unknown>, "next" | "error" | "complete" | "closed">

const deaf: Ear = { next: () => {}, error: () => {}, complete: () => {}, closed: false }

/** The first operator; before it gets a value, `root` is told. */
function hearing(subscriber: Subscriber<unknown>, { root, ended }: RootListener): Ear {
  return {
    next(value) {
      root?.(value)
      subscriber.next(value)
    },
    error: (cause) => subscriber.error(cause),
    complete() {
      ended()
      subscriber.complete()
    },
    get closed() {
      return subscriber.closed
    },
  }
}

/** Who hears of a beginning beside the first operator. */
interface RootListener {
  readonly root: Listener<never>["root"]
  /** It has completed. */
  readonly ended: () => void
}

/** One subscription of a beginning. */
interface Connection {
  /** Who hears of it now. */
  to: Ear
  /** Whether it may say more. */
  alive: boolean
  /** Ends it; may throw. */
  stop: () => void
}

function connect(root: Root, to: Ear): Connection {
  const connection: Connection = { to, alive: true, stop: () => {} }
  connection.stop = root.open(
    {
      next: (value) => connection.to.next(value),
      error(cause, goesOn = false) {
        connection.alive &&= goesOn
        connection.to.error(cause)
      },
      complete() {
        connection.alive = false
        connection.to.complete()
      },
    },
    () => !connection.to.closed,
  )
  return connection
}
