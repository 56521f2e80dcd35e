import type { Action, Failure } from "@x/agentic-service"
import PQueue from "p-queue"
import type { ToolEntry } from "../catalogue/entry.js"
import { formatPath } from "../names/path.js"
import type { ActiveCall } from "./active-call.js"
import type { CallLimits } from "./call-limits.js"
import { toStopped } from "./failures.js"

/** Lets calls run as their client, and their service, may. */
export interface Turns {
  /**
   * Waits until a call may run.
   *
   * @returns Ends its turn, to be called exactly once; or why it may not run.
   */
  take(call: ActiveCall, entry: ToolEntry, action: Action): Promise<(() => void) | Failure>
  /** How many calls wait. */
  waiting(): number
}

/** Nobody runs yet. */
export function createTurns(limits: CallLimits): Turns {
  const clients = createTurnstile(limits)
  // Who waits here has a turn of its client already, so the line is no longer than all clients together may make it.
  const services = createTurnstile({ running: 1, waiting: Number.POSITIVE_INFINITY })
  return {
    async take({ subject, context }, entry, action) {
      const ofClient = await clients.enter(subject.client, context.signal)
      if (ofClient === "full") return toBusy(limits)
      if (ofClient === "left") return toStopped(subject.name, "caller", 0)
      if (limits.changes === "parallel" || action.hints.readOnly === true) return ofClient
      const ofService = await services.enter(formatPath(entry.path), context.signal)
      if (typeof ofService === "function") {
        return () => {
          ofService()
          ofClient()
        }
      }
      ofClient()
      return toStopped(subject.name, "caller", 0)
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
   * @returns The end of the turn, to be called exactly once; `full` when the line is too long already; `left` when `signal`
   * aborts first.
   */
  enter(key: string, signal: AbortSignal): Promise<(() => void) | "full" | "left">
  /** How many wait, over all keys. */
  waiting(): number
}

/** Nobody inside yet. */
export function createTurnstile(limits: { readonly running: number; readonly waiting: number }): Turnstile {
  const lines = new Map<string, PQueue>()
  const open = (key: string): PQueue => {
    const line = new PQueue({ concurrency: limits.running })
    lines.set(key, line)
    // A line that nobody stands in is forgotten, so that clients who come and go leave nothing behind.
    line.on("idle", () => {
      if (lines.get(key) === line) lines.delete(key)
    })
    return line
  }
  return {
    async enter(key, signal) {
      const line = lines.get(key) ?? open(key)
      if (line.pending >= limits.running && line.size >= limits.waiting) return "full"
      return takeTurn(line, signal)
    },
    waiting: () => [...lines.values()].reduce((sum, line) => sum + line.size, 0),
  }
}

function takeTurn(line: PQueue, signal: AbortSignal): Promise<(() => void) | "left"> {
  return new Promise((resolve) => {
    // Only the wait is over when the caller aborts; a turn that has begun is for the call to end.
    const waiting = new AbortController()
    const leave = (): void => waiting.abort()
    const turn = (): Promise<void> =>
      new Promise((end) => {
        signal.removeEventListener("abort", leave)
        resolve(end)
      })
    signal.addEventListener("abort", leave, { once: true })
    if (signal.aborted) leave()
    line.add(turn, { signal: waiting.signal }).catch(() => resolve("left"))
  })
}
