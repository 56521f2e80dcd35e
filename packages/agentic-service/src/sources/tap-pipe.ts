import { hasMethod, memberOf } from "@x/base"
import { Observable, type Subscriber, takeWhile } from "rxjs"
import { stopSafely } from "./open-kind.js"
import { type Kind, type Listener, openObservable, recogniseSource } from "./recognise-source.js"
import { originOf } from "./to-observable.js"

/**
 * Follows a pipe of rxjs operators (of any copy and version) at its root as well, which decides order and failure: the root
 * emitted even a value that an operator withholds, and an operator's error does not end the root. So a failed pipe is opened
 * again at the root's next value, without a second subscription of the root.
 *
 * Two simpler ways were tried, and each loses cases that `tap-pipe.test.ts` and `follow-source.test.ts` name. A listener of the
 * pipe alone never hears of the root: a pipe that has failed stays failed, and after an emission during an emission the older
 * value stays if an operator delays values or withholds equal ones. A second subscription beside the pipe is safe only for
 * subjects and stores. It runs anything else twice: a combination (`combineLatest`), a factory (`defer`), a shared or retried
 * source.
 *
 * @returns `undefined` for anything but a pipe, or when its root cannot be followed.
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

/** Opens the pipe on a connection to its root, which survives the pipe's failure. */
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
        // No new opening has taken it over.
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
      // A root that starts with a list of others, like a combination in rxjs 6, completes and continues by itself.
      if (ended) listener.root?.(value)
      listener.next(value)
    },
    error(cause) {
      failed = true
      listener.error(cause)
      // Others subscribe to the root (`share`), or an operator has released it. Subscribing to a subject or store runs nothing.
      if (held === 0 && root.isHot && failed) park(connect(root, deaf))
    },
  })
  return () => {
    failed = false
    parked?.stop()
    stop()
  }
}

/** A root connection that outlasts its pipe. */
interface Handed {
  readonly connection: Connection
  /** The value that reopens the pipe. */
  readonly value: unknown
}

/** Passes a connection from a failed opening to the next one. */
interface Passing {
  on?: Handed | undefined
}

/** A listener of an opening, with the state that one pipe's openings share. */
interface Tapping<Value> extends Listener<Value> {
  readonly passing: Passing
}

/** A pipe, taken apart. */
interface Pipe {
  /** The first operator's input. */
  readonly beginning: object
  /** Applies the same operators to another root. */
  upon(beginning: object): object
}

/** Takes a pipe apart: an observable from `lift` refers to its source, which its operator receives on subscribing. */
function takeApart(source: unknown): Pipe | undefined {
  const below = memberOf(source, "source")
  if (!hasMethod(source, "subscribe") || !hasMethod(below, "subscribe") || !memberOf(source, "operator"))
    return undefined
  // Both have methods, so both are objects.
  const [node, rest] = [source as object, takeApart(below)]
  return {
    beginning: rest?.beginning ?? (below as object),
    upon: (beginning) => Object.create(node, { source: { value: rest?.upon(beginning) ?? beginning } }),
  }
}

/** A pipe's root. */
interface Root {
  /** Whether it continues without listeners. */
  readonly isHot: boolean
  /** Opens it. `isWanted` returns whether anybody still listens, even before this returns. */
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
    // The pipe's subscriber gets the error.
    return undefined
  }
  // An operator that has enough values (`take`) closes its subscriber, which observables check during an emission. A listener
  // has no such flag, so check before each value.
  const open: Root["open"] = (listener, isWanted) =>
    openObservable(takeWhile(isWanted)(beginning as Observable<unknown>), listener)
  return { isHot, open }
}

/** A listener of a root. */
type Ear = Pick<Subscriber<unknown>, "next" | "error" | "complete" | "closed">

const deaf: Ear = { next: () => {}, error: () => {}, complete: () => {}, closed: false }

/** Creates a listener for the first operator that calls `root` before each value. */
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

/** A listener of a root beside the first operator. */
interface RootListener {
  readonly root: Listener<never>["root"]
  /** Called when it completes. */
  readonly ended: () => void
}

/** A subscription of a root. */
interface Connection {
  /** Its current listener. */
  to: Ear
  /** Whether it may emit again. */
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
