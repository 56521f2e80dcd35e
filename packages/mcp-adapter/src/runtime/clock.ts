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
