/** The clock that requests and beats are stamped with, in milliseconds; it never goes back. */
export function now(): number {
  return performance.timeOrigin + performance.now()
}

/**
 * Tells how late a frame is, though the clocks of the two sides differ: the least that any of the last frames seemed to take
 * is what the clocks differ by. A side that was stopped and goes on finds what came meanwhile late.
 */
export interface Lateness {
  /** Takes in when a frame says it was sent, and tells how late it is, in milliseconds; 0 for the quickest of the last. */
  measure(sentAt: number): number
}

/** No frame yet. */
export function createLateness(): Lateness {
  // One clock may stand still while a machine sleeps, the other may be put right: whatever either of them finds late, is.
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

/** Longer than beats pile up before a silent side is given up; short enough to forget a clock that was put right. */
const REMEMBERED = 16

/** Runs something at the end of the task, when whatever changes together has changed. Not slowed down in a hidden page, as timers are. */
export function atEndOfTask(run: () => void): void {
  if (typeof immediate === "function") immediate(run)
  else viaPort(run)
}

// Node's own; pages have none.
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

/** Lets Node end though a timer runs; in a page a timer is a number. */
export function unref(timer: unknown): void {
  const isObject = typeof timer === "object" && timer !== null
  if (isObject && "unref" in timer && typeof timer.unref === "function") timer.unref()
}
