import type { Answers, ExecuteContext } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import { createDeferred } from "@x/base"
import type { Counted } from "../life/holdings.js"
import type { Origin } from "../life/origins.js"
import type { Asked } from "./client-request.js"

/**
 * The running calls of one connection, by their requests' marks. A question or log message of the server reaches only the call
 * whose mark it carries.
 */
export interface AskedCalls {
  /**
   * Begins a call. A tool that once asked without naming its call runs one call at a time from then on, so that its next
   * question has a known call. Rejects if `signal` aborts first.
   */
  begin(call: BeginningCall, signal: Abortable): Promise<AskedCall>
  /** Puts a question or request of the server to its call. Resolves with the answer, or `undefined` if no call is found. */
  put(asked: Asked, origin: Origin | undefined): Promise<Given | undefined>
  /** Returns the context of the running call that caused a message; `undefined` for an unknown or ended call. */
  contextOf(origin: Origin | undefined): ExecuteContext | undefined
}

/** A call about to run. */
export interface BeginningCall {
  /** The tool. */
  readonly tool: string
  /** Its request's mark. */
  readonly mark: string
  /** Returns the context of the current waiter for the call. */
  context(): ExecuteContext
}

/** The questions of one call. */
export interface AskedCall {
  /** Resolves with its next question. */
  next(): Promise<Put>
  /** Ends the call and cancels its waiting questions. */
  end(): void
}

/** A question or request of a server, waiting for its answer. */
export interface Put {
  /** The question or request. */
  readonly asked: Asked
  /** Answers the question or request. */
  answer(given: Given): void
}

/** The answer returned by an adapter. */
export type Given = Answers | "declined" | "cancelled"

/** The most milliseconds that a person may take to answer. */
const PATIENCE_MS = 600_000

/**
 * Creates the registry of a connection's running calls.
 *
 * @param dropped - Called with the reason if a question or request reaches nobody.
 */
export function createAskedCalls(holdings: Counted, dropped: (message: string) => void): AskedCalls {
  const running = new Map<string, Running>()
  const expected = new Set<string>()
  const change = createChange()
  const mayBegin = (tool: string): boolean =>
    !(expected.has(tool) && [...running.values()].some((call) => expected.has(call.tool)))
  const expectMore = (calls: Iterable<Running>): void => {
    for (const { tool } of calls) expected.add(tool)
  }
  return {
    async begin({ tool, mark, context }, signal) {
      while (!mayBegin(tool)) await change.next(signal)
      const call = createRunning(tool, context, holdings)
      running.set(mark, call)
      return {
        next: call.next,
        end() {
          if (!running.delete(mark)) return
          call.close()
          change.tell()
        },
      }
    },
    async put(asked, origin) {
      const call = origin && running.get(origin.mark)
      if (origin?.by !== "stream") expectMore(call ? [call] : running.values())
      if (call !== undefined) return call.put(asked)
      const what = "request" in asked ? `the request ${asked.request.method}` : "a question"
      dropped(
        `${what} of the server was declined: ${origin === undefined ? "it belongs to no known call" : "its call has ended"}`,
      )
      return undefined
    },
    contextOf: (origin) => origin && running.get(origin.mark)?.context(),
  }
}

/** Creates a signal of changes that others can wait for. */
function createChange() {
  let told = createDeferred<void>()
  const tell = (): void => {
    const before = told
    told = createDeferred<void>()
    before.resolve()
  }
  return {
    tell,
    /** Resolves at the next change. Rejects if the signal aborts. */
    async next(signal: Abortable): Promise<void> {
      if (signal.aborted) throw signal.reason
      signal.addEventListener("abort", tell)
      await told.promise
      signal.removeEventListener("abort", tell)
      if (signal.aborted) throw signal.reason
    },
  }
}

/** A running call. */
interface Running {
  /** The tool. */
  readonly tool: string
  /** Returns the current waiter's context. */
  context(): ExecuteContext
  /** Puts a question or request to the call, and resolves with the answer. */
  put(asked: Asked): Promise<Given>
  /** Resolves with its next question. */
  next(): Promise<Put>
  /** Cancels the waiting questions. */
  close(): void
}

function createRunning(tool: string, context: () => ExecuteContext, holdings: Counted): Running {
  const open = new Set<Put>()
  const queue: Put[] = []
  let taker: ((put: Put) => void) | undefined
  return {
    tool,
    context,
    put(asked) {
      const { promise, resolve } = createDeferred<Given>()
      const put: Put = {
        asked,
        answer(given) {
          if (!open.delete(put)) return
          over()
          resolve(given)
        },
      }
      const over = holdings.after(PATIENCE_MS, () => put.answer("cancelled"))
      open.add(put)
      if (taker === undefined) queue.push(put)
      else taker(put)
      taker = undefined
      return promise
    },
    next() {
      const put = queue.shift()
      if (put !== undefined) return Promise.resolve(put)
      const { promise, resolve } = createDeferred<Put>()
      taker = resolve
      return promise
    },
    close() {
      taker = undefined
      for (const put of [...open]) put.answer("cancelled")
    },
  }
}
