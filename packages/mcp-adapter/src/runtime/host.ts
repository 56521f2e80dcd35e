import type { Observable, Observer, Subscription } from "rxjs"
import type { Report } from "./diagnostic.js"
import type { ListeningClient } from "./listening-client.js"

/** What everything live in an adapter stands on; handed on whole. */
export interface Host {
  /** Time and the end of a task. */
  readonly clock: Clock
  /** Counts what is held open. */
  readonly ledger: Ledger
  /** Takes what an operator should know. */
  readonly report: Report
}

/** Runs `callback` after at least `milliseconds`, with the timer in the ledger until it has run or is taken back. */
export function startTimer(
  { clock, ledger }: Pick<Host, "clock" | "ledger">,
  milliseconds: number,
  callback: () => void,
): Cancel {
  const over = ledger.open("timer")
  const cancel = clock.after(milliseconds, () => {
    over()
    callback()
  })
  return () => {
    over()
    cancel()
  }
}

/** Time and the end of a task, in one place, so that a host without timers of its own can bring them. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number
  /** Runs `callback` once the current task, with every microtask it queued, has ended. */
  settle(callback: () => void): Cancel
  /** Runs `callback` after at least `milliseconds`; never keeps a process alive by itself. */
  after(milliseconds: number, callback: () => void): Cancel
}

/** Takes back what has not run yet; harmless afterwards. */
export type Cancel = () => void

/** The clock of the host: `setImmediate` where there is one, a `MessageChannel` in a browser. */
export const hostClock: Clock = {
  now: () => performance.now(),
  settle: createSettle(),
  after(milliseconds, callback) {
    // A timer may fire early by a fraction of a millisecond when it is truncated, so round up.
    const timer: unknown = setTimeout(callback, Math.ceil(milliseconds))
    if (isUnrefable(timer)) timer.unref()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>) // the value `setTimeout` gave two lines up
  },
}

/**
 * Keeps the process alive while somebody waits for an answer. The timers of {@link hostClock} do not, so a process with nothing
 * else to do would end before the wait is over.
 *
 * @returns Lets the process end again.
 */
export function holdProcess(): Cancel {
  const timer = setInterval(() => {}, LONGEST_TIMER)
  return () => clearInterval(timer)
}

const LONGEST_TIMER = 2 ** 31 - 1

function createSettle(): Clock["settle"] {
  if (typeof setImmediate === "function") {
    return (callback) => {
      const handle = setImmediate(callback)
      return () => clearImmediate(handle)
    }
  }
  return settleByMessage
}

function settleByMessage(callback: () => void): Cancel {
  const channel = new MessageChannel()
  channel.port1.addEventListener("message", () => {
    channel.port1.close()
    callback()
  })
  channel.port1.start()
  channel.port2.postMessage(undefined)
  return () => channel.port1.close()
}

function isUnrefable(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function"
}

/** What is held open, by kind. */
export type Holding = "subscription" | "timer" | "stream" | "session" | "view" | "call" | "stuck"

/** How many of each kind are held now. */
export type LedgerCounts = Readonly<Record<Holding, number>>

/** Counts everything that is opened and not yet closed, so that a test, or an operator, can see it all gone. */
export interface Ledger {
  /**
   * Notes one thing opened.
   *
   * @returns Notes it closed; calling it again changes nothing.
   */
  open(kind: Holding): () => void
  /** The counts now; zero for kinds never opened. */
  counts(): LedgerCounts
  /**
   * Tells at once of every thing opened or closed, so that nobody has to ask over and over.
   *
   * @returns Tells no more.
   */
  watch(changed: () => void): () => void
  /**
   * Notes a client that is told of changes.
   *
   * @returns Notes that it is no more; calling it again changes nothing.
   */
  listen(listener: ListeningClient): () => void
  /** The clients that are told of changes, those first that have been for the longest; the same array until it changes. */
  listeners(): readonly ListeningClient[]
}

/** A ledger with nothing in it. */
export function createLedger(): Ledger {
  const counts: Record<Holding, number> = {
    subscription: 0,
    timer: 0,
    stream: 0,
    session: 0,
    view: 0,
    call: 0,
    stuck: 0,
  }
  const watching = new Set<() => void>()
  const count = (kind: Holding, more: number): void => {
    counts[kind] += more
    for (const changed of watching) changed()
  }
  const listening = new Set<ListeningClient>()
  let listeners: readonly ListeningClient[] | undefined
  return {
    listen(listener) {
      listening.add(listener)
      listeners = undefined
      return () => {
        listening.delete(listener)
        listeners = undefined
      }
    },
    listeners() {
      listeners ??= [...listening]
      return listeners
    },
    open(kind) {
      count(kind, 1)
      let held = true
      return () => {
        if (!held) return
        held = false
        count(kind, -1)
      }
    },
    counts: () => ({ ...counts }),
    watch(changed) {
      watching.add(changed)
      return () => watching.delete(changed)
    },
  }
}

/** Subscribes, and keeps the subscription in the ledger until it ends, however it ends. */
export function subscribeIn<Value>(
  ledger: Ledger,
  source: Observable<Value>,
  observer: Partial<Observer<Value>>,
): Subscription {
  const closed = ledger.open("subscription")
  const subscription = source.subscribe(observer)
  subscription.add(closed)
  return subscription
}

/** Makes a function that runs `callback` at its first call only. */
export function once(callback: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    callback()
  }
}

/** A promise, and what settles it. */
export interface Deferred<Value> {
  /** Settles as the first of the others is called. */
  readonly promise: Promise<Value>
  /** Fulfils it; only the first settling counts. */
  readonly resolve: (value: Value) => void
  /** Rejects it; only the first settling counts. */
  readonly reject: (cause: unknown) => void
}

/** Makes a promise that is settled from outside. Node 20 has no `Promise.withResolvers`. */
export function createDeferred<Value = void>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, "resolve" | "reject"> | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // A promise runs its function before it is made.
  if (settle === undefined) throw new Error("unreachable")
  return { promise, ...settle }
}
