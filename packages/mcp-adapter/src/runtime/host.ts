import { unref } from "@x/base"
import type { Observable, Observer, Subscription } from "rxjs"
import type { Report } from "./diagnostic.js"
import type { ListeningClient } from "./listening-client.js"

/** The environment that all parts of an adapter share. */
export interface Host {
  /** Provides time and task ends. */
  readonly clock: Clock
  /** Counts open resources. */
  readonly ledger: Ledger
  /** Takes diagnostics for the operator. */
  readonly report: Report
}

/**
 * Runs `callback` after at least `milliseconds`. The ledger counts the timer until it has run or is cancelled.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { startTimer } from "@x/mcp-adapter/binding"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const cancel = startTimer(adapter.core.host, 60_000, () => console.log("no answer in a minute"))
 * console.log(adapter.ledger.counts().timer) // 1
 * cancel()
 * adapter.close()
 * ```
 */
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

/** Provides time and task ends, so that a host without timers can bring its own. */
export interface Clock {
  /** Returns milliseconds of a clock that never goes back. */
  now(): number
  /** Runs `callback` after the current task and all its microtasks have ended. */
  settle(callback: () => void): Cancel
  /** Runs `callback` after at least `milliseconds`; does not keep the process alive. */
  after(milliseconds: number, callback: () => void): Cancel
}

/** Cancels a pending callback; harmless afterwards. */
export type Cancel = () => void

/** The host's clock: uses `setImmediate` if available, otherwise a `MessageChannel`. */
export const hostClock: Clock = {
  now: () => performance.now(),
  settle: createSettle(),
  after(milliseconds, callback) {
    // A timer may fire early by a fraction of a millisecond when it is truncated, so round up.
    const timer: unknown = setTimeout(callback, Math.ceil(milliseconds))
    unref(timer)
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>) // returned by `setTimeout` above
  },
}

/**
 * Keeps the process alive while an answer is awaited. The adapter's own timers do not, so an otherwise idle process would end
 * early. Servers, handlers and pipes call it themselves; a binding that calls handlers directly needs it, unless its socket
 * keeps the process alive.
 *
 * @returns Lets the process end again.
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createEndpoint, holdProcess } from "@x/mcp-adapter/binding"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const connection = createEndpoint(adapter).open(undefined)
 * const letGo = holdProcess()
 * await connection.view.ready() // waits for a silent service, and the process waits too
 * console.log(connection.view.snapshot().tools.length) // 0
 * letGo()
 * connection.release()
 * adapter.close()
 * ```
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

/** The kinds of open resources. */
export type Holding = "subscription" | "timer" | "stream" | "session" | "view" | "call" | "task" | "stuck"

/** The number of open resources, by kind. */
export type LedgerCounts = Readonly<Record<Holding, number>>

/** Counts open resources, so that a test or an operator can see that all are released. */
export interface Ledger {
  /**
   * Counts one opened resource.
   *
   * @returns Counts it as closed; idempotent.
   */
  open(kind: Holding): () => void
  /** Returns the current counts; zero for unused kinds. */
  counts(): LedgerCounts
  /**
   * Calls `changed` at once whenever a resource is opened or closed.
   *
   * @returns Stops watching.
   */
  watch(changed: () => void): () => void
  /**
   * Registers a client that receives notices.
   *
   * @returns Unregisters it; idempotent.
   */
  listen(listener: ListeningClient): () => void
  /** Returns the clients that receive notices, the earliest first; the same array until it changes. */
  listeners(): readonly ListeningClient[]
}

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  const counts: Record<Holding, number> = {
    subscription: 0,
    timer: 0,
    stream: 0,
    session: 0,
    view: 0,
    call: 0,
    task: 0,
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

/** Subscribes to a source. The ledger counts the subscription until it ends. */
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

/** Returns a function that runs `callback` at its first call only. */
export function once(callback: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    callback()
  }
}
