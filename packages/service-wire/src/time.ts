/** Returns the time that requests and heartbeats are stamped with, in milliseconds. It never goes back. */
export function now(): number {
  return performance.timeOrigin + performance.now()
}

/**
 * Measures how late frames are although the clocks of the two sides differ. The shortest apparent travel time of the last
 * frames counts as the difference of the clocks. After a suspension, frames that arrived meanwhile measure as late.
 */
export interface Lateness {
  /** Records when a frame was sent. Returns how late it is, in milliseconds; 0 for the fastest of the last frames. */
  measure(sentAt: number): number
}

/** Creates a measurement without frames. */
export function createLateness(): Lateness {
  // One clock may stop while a machine sleeps, the other may be adjusted. A frame is late if either clock says so.
  const clocks = [Date.now, now].map((read) => ({ read, seen: [] as number[] }))
  return {
    measure: (sentAt) =>
      Math.max(
        ...clocks.map(({ read, seen }) => {
          const took = Number.isFinite(sentAt) ? read() - sentAt : 0
          seen.push(took)
          if (seen.length > REMEMBERED) seen.shift()
          return took - Math.min(...seen)
        }),
      ),
  }
}

/** More than the heartbeats that queue up before a silent side is lost, and few enough to forget a clock that was adjusted. */
const REMEMBERED = 16

/**
 * Runs a function at the end of the task, after all changes of the task. Unlike timers, it is not throttled in a hidden page.
 */
export function atEndOfTask(run: () => void): void {
  if (typeof immediate === "function") immediate(run)
  else viaPort(run)
}

// Only Node has it.
const immediate: unknown = Reflect.get(globalThis, "setImmediate")

let waiting: (() => void)[] = []
let port: MessagePort | undefined

function viaPort(run: () => void): void {
  waiting.push(run)
  if (port === undefined) {
    const channel = new MessageChannel()
    port = channel.port2
    channel.port1.onmessage = () => {
      const due = waiting
      waiting = []
      for (const each of due) each()
    }
  }
  if (waiting.length === 1) port.postMessage(0)
}
