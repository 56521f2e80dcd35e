import type { Action, Failure } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import { once } from "../runtime/host.js"
import { createSlots } from "../runtime/slots.js"
import type { ActiveCall } from "./active-call.js"
import type { CallLimits } from "./call-limits.js"
import { causeOf, toStopped } from "./failures.js"

/** The queue for turns, per client and per service. */
export interface Turns {
  /**
   * Waits until a call may run.
   *
   * @returns A function that ends the turn, to be called exactly once; or the failure of a call that may not run.
   */
  take(call: ActiveCall, entry: ToolEntry, action: Pick<Action, "hints">): Promise<EndTurn | Failure>
  /** Returns the number of waiting calls. */
  waiting(): number
}

/**
 * Ends a turn.
 *
 * @param until - The end of the action, if it continues after its call is answered: it no longer counts as a call of its client,
 *   but changes of its service still wait for it.
 */
export type EndTurn = (until?: Promise<unknown>) => void

/** Creates the queue for turns. */
export function createTurns(limits: CallLimits): Turns {
  const clients = createTurnstile(limits)
  // A call that waits here already has its client's turn, so all clients together bound the queue.
  const services = createTurnstile({ running: 1, waiting: Number.POSITIVE_INFINITY })
  return {
    async take({ subject, stop }, entry, action) {
      const ofClient = await clients.enter(subject.client, stop)
      if (ofClient === "full") return toBusy(limits)
      if (ofClient === "left") return toStopped(subject.name, causeOf(stop), 0)
      if (limits.changes === "parallel" || action.hints.readOnly === true) return ofClient
      // Keyed by instance, since each principal may have its own service at the same path, and one service may have several
      // paths.
      const ofService = await services.enter(entry.thing, stop)
      if (typeof ofService === "function") {
        return (until) => {
          if (until === undefined) ofService()
          else void until.then(ofService, ofService)
          ofClient()
        }
      }
      ofClient()
      return toStopped(subject.name, causeOf(stop), 0)
    },
    waiting: () => clients.waiting() + services.waiting(),
  }
}

function toBusy({ running, waiting }: CallLimits): Failure {
  return {
    ok: false,
    code: "busy",
    message: `${running} of your calls are running and ${waiting} are queued, which is the limit`,
    recovery: "wait for one of them to finish, then call again",
  }
}

/** Lets a limited number of holders per key through at once, and queues a limited number of others. */
interface Turnstile {
  /**
   * Waits for a turn; synchronously if the turn is free.
   *
   * @returns A function that ends the turn; `full` if the queue is full; `left` if `signal` aborts first.
   */
  enter(key: string, signal: Abortable): Entry | Promise<Entry>
  /** Returns the number of waiting entrants, over all keys. */
  waiting(): number
}

/** The result of entering. */
type Entry = (() => void) | "full" | "left"

/** The number of current holders, and the waiting entrants, the first in front. */
interface Line {
  running: number
  readonly waiting: Set<() => void>
}

/** Creates a turnstile. */
export function createTurnstile(limits: { readonly running: number; readonly waiting: number }): Turnstile {
  const lines = createSlots<Line>()
  let waiting = 0
  const leave = (key: string, line: Line): (() => void) =>
    once(() => {
      const [next] = line.waiting
      if (next !== undefined) return next()
      line.running -= 1
      // A line without holders is dropped, so that clients who come and go leave nothing behind.
      if (line.running === 0) lines.vacate(key)
    })
  const wait = (key: string, line: Line, signal: Abortable): Promise<Entry> =>
    new Promise((resolve) => {
      const stop = (entry: Entry): void => {
        line.waiting.delete(begin)
        waiting -= 1
        signal.removeEventListener("abort", giveUp)
        resolve(entry)
      }
      const begin = (): void => stop(leave(key, line))
      // An abort ends only the wait; a turn that has begun is ended by the call.
      const giveUp = (): void => stop("left")
      line.waiting.add(begin)
      waiting += 1
      signal.addEventListener("abort", giveUp)
    })
  return {
    enter(key, signal) {
      if (signal.aborted) return "left"
      const line = lines.get(key) ?? { running: 0, waiting: new Set() }
      lines.fill(key, line)
      if (line.running >= limits.running) return line.waiting.size < limits.waiting ? wait(key, line, signal) : "full"
      line.running += 1
      return leave(key, line)
    },
    waiting: () => waiting,
  }
}
