import type { Action, Failure } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import { once } from "../runtime/host.js"
import { createSlots } from "../runtime/slots.js"
import type { ActiveCall } from "./active-call.js"
import type { CallLimits } from "./call-limits.js"
import { causeOf, toStopped } from "./failures.js"

/** Lets calls run as their client, and their service, may. */
export interface Turns {
  /**
   * Waits until a call may run.
   *
   * @returns Ends its turn, to be called exactly once; or why it may not run.
   */
  take(call: ActiveCall, entry: ToolEntry, action: Pick<Action, "hints">): Promise<(() => void) | Failure>
  /** How many calls wait. */
  waiting(): number
}

/** Makes the order of calls of which none runs yet. */
export function createTurns(limits: CallLimits): Turns {
  const clients = createTurnstile(limits)
  // Who waits here has a turn of its client already, so the line is no longer than all clients together may make it.
  const services = createTurnstile({ running: 1, waiting: Number.POSITIVE_INFINITY })
  return {
    async take({ subject, stop }, entry, action) {
      const ofClient = await clients.enter(subject.client, stop)
      if (ofClient === "full") return toBusy(limits)
      if (ofClient === "left") return toStopped(subject.name, causeOf(stop), 0)
      if (limits.changes === "parallel" || action.hints.readOnly === true) return ofClient
      // By the thing itself: each principal may have one of its own at the same path, and one may be found by several.
      const ofService = await services.enter(entry.thing, stop)
      if (typeof ofService === "function") {
        return () => {
          ofService()
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
    message: `${running} of your calls are running and ${waiting} are waiting, which is all that may`,
    recovery: "wait for one of them to be answered, then call again",
  }
}

/** Lets so many through at once, keyed by whom; others wait in line, as far as the line goes. */
interface Turnstile {
  /**
   * Waits for a turn.
   *
   * @returns The end of the turn; `full` when the line is too long already; `left` when `signal` aborts first. At once where
   * nobody has to be waited for.
   */
  enter(key: string, signal: Abortable): Entry | Promise<Entry>
  /** How many wait, over all keys. */
  waiting(): number
}

/** What comes of wanting to enter. */
type Entry = (() => void) | "full" | "left"

/** Who is inside, and who waits, the first first. */
interface Line {
  running: number
  readonly waiting: Set<() => void>
}

/**
 * Makes a turnstile with nobody inside yet.
 */
export function createTurnstile(limits: { readonly running: number; readonly waiting: number }): Turnstile {
  const lines = createSlots<Line>()
  let waiting = 0
  const leave = (key: string, line: Line): (() => void) =>
    once(() => {
      const [next] = line.waiting
      if (next !== undefined) return next()
      line.running -= 1
      // A line that nobody stands in is forgotten, so that clients who come and go leave nothing behind.
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
      // Only the wait is over when the caller aborts; a turn that has begun is for the call to end.
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
