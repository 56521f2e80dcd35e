import type { ExecuteContext, Question } from "@x/agentic-service"
import { createDeferred } from "@x/mcp-adapter/binding"
import type { Counted } from "../life/holdings.js"
import type { Origin } from "../life/origins.js"
import type { Answer } from "./to-reply.js"

/**
 * The calls that run on one connection, by the marks of their requests. Whatever the server says of a call in the meantime, a
 * question or a log message, reaches the call whose mark it has and no other.
 */
export interface AskedCalls {
  /**
   * Begins a call. Calls of tools that asked without telling for which call run one after the other, so that their next
   * questions can be told apart. Rejects if `signal` aborts before.
   */
  begin(call: BeginningCall, signal: AbortSignal): Promise<AskedCall>
  /** Puts a question of the server to the call that it belongs to. Resolves with the answer. */
  put(question: Question, origin: Origin | undefined): Promise<Answer>
  /** Returns the context of the call that a message belongs to; `undefined` if it belongs to none that runs. */
  contextOf(origin: Origin | undefined): ExecuteContext | undefined
}

/** A call that is about to run. */
export interface BeginningCall {
  /** The tool. */
  readonly tool: string
  /** The mark of its request. */
  readonly mark: string
  /** Returns the context of whoever waits for the call now. */
  context(): ExecuteContext
}

/** One call, as far as it is asked about. */
export interface AskedCall {
  /** Resolves with its next question. */
  next(): Promise<Put>
  /** Ends it, and cancels the questions that wait. */
  end(): void
}

/** A question that a server put in the middle of a call, and that waits for its answer. */
export interface Put {
  /** The question. */
  readonly question: Question
  /** Answers it. */
  answer(answer: Answer): void
}

/** How long a person may take, in milliseconds. */
const PATIENCE_MS = 600_000

/**
 * Creates the calls of a connection; none runs.
 *
 * @param dropped - Told that a question was declined, and why.
 */
export function createAskedCalls(holdings: Counted, dropped: (why: string) => void): AskedCalls {
  const running = new Map<string, Running>()
  const asking = new Set<string>()
  const change = createChange()
  const mayBegin = (tool: string): boolean =>
    !(asking.has(tool) && [...running.values()].some((call) => asking.has(call.tool)))
  const expectMore = (calls: Iterable<Running>): void => {
    for (const { tool } of calls) asking.add(tool)
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
    async put(question, origin) {
      const call = origin && running.get(origin.mark)
      if (origin?.by !== "stream") expectMore(call ? [call] : running.values())
      if (call !== undefined) return call.put(question)
      dropped(origin === undefined ? "it does not show which call asks" : "the call that asks has ended")
      return { action: "decline" }
    },
    contextOf: (origin) => origin && running.get(origin.mark)?.context(),
  }
}

/** Lets others wait for the next change. */
function createChange() {
  let told = createDeferred<void>()
  const tell = (): void => {
    const before = told
    told = createDeferred<void>()
    before.resolve()
  }
  return {
    tell,
    /** Resolves with the next change; rejects if the signal aborts. */
    async next(signal: AbortSignal): Promise<void> {
      signal.throwIfAborted()
      signal.addEventListener("abort", tell)
      await told.promise
      signal.removeEventListener("abort", tell)
      signal.throwIfAborted()
    },
  }
}

/** A call that runs. */
interface Running {
  /** The tool. */
  readonly tool: string
  /** Returns the context of whoever waits for it. */
  context(): ExecuteContext
  /** Puts a question to it. Resolves with the answer. */
  put(question: Question): Promise<Answer>
  /** Resolves with its next question. */
  next(): Promise<Put>
  /** Cancels the questions that wait. */
  close(): void
}

function createRunning(tool: string, context: () => ExecuteContext, holdings: Counted): Running {
  const open = new Set<Put>()
  const queue: Put[] = []
  let taker: ((put: Put) => void) | undefined
  return {
    tool,
    context,
    put(question) {
      const { promise, resolve } = createDeferred<Answer>()
      const put: Put = {
        question,
        answer(given) {
          if (!open.delete(put)) return
          over()
          resolve(given)
        },
      }
      const over = holdings.after(PATIENCE_MS, () => put.answer({ action: "cancel" }))
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
      for (const put of [...open]) put.answer({ action: "cancel" })
    },
  }
}
