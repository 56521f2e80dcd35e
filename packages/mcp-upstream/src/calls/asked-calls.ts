import type { Question } from "@x/agentic-service"
import { createDeferred } from "@x/mcp-adapter/binding"
import type { Counted } from "../life/holdings.js"
import type { Answer } from "./to-reply.js"

/**
 * The calls that run at a server of the legacy era, and the questions that it puts outside any answer: it does not say which call
 * asks. A call that waits for a person goes no further, and one that asks does not end, so that it shows in the end whose
 * question it is, unless all that run have asked.
 */
export interface AskedCalls {
  /**
   * A call begins, once no question waits for its call; of tools that have asked before, one at a time. Rejects where it is given
   * up until then.
   */
  begin(tool: string, signal: AbortSignal): Promise<AskedCall>
  /** The server asks. @returns Settles with the answer. */
  put(question: Question): Promise<Answer>
}

/** One call, as far as it is asked about. */
export interface AskedCall {
  /** Its next question. */
  next(): Promise<Put>
  /** It has ended: whatever waits is given up. */
  end(): void
}

/** A question that a server put in the middle of a call, and waits. */
export interface Put {
  /** What is asked. */
  readonly question: Question
  /** Answers it. */
  answer(answer: Answer): void
}

/** How long a person may take, and how long a question waits until it shows whose it is, in milliseconds. */
const PATIENCE = { personMs: 600_000, unclearMs: 30_000 }

/**
 * No calls yet.
 *
 * @param dropped - Told that a question was cancelled, and why.
 */
export function createAskedCalls(holdings: Counted, dropped: (why: string) => void): AskedCalls {
  const running = new Set<Running>()
  const waiting = new Set<Waiting>()
  const asking = new Set<string>()
  const change = createChange()
  const mayBegin = (tool: string): boolean =>
    waiting.size === 0 && !(asking.has(tool) && [...running].some((call) => asking.has(call.tool)))
  const give = (put: Waiting, to: Running): void => {
    waiting.delete(put)
    put.found()
    asking.add(to.tool)
    to.hand(put, place)
  }
  const drop = (put: Waiting, why: string): void => {
    waiting.delete(put)
    dropped(why)
    put.answer({ action: "cancel" })
  }
  /** Gives a question to the call that must have asked it, if that shows by now. */
  const placeOne = (put: Waiting): void => {
    const free = [...running].filter((call) => call.open === 0)
    const [only, ...others] = free.length === 1 ? free : running
    if (only === undefined) drop(put, "no call runs")
    else if (others.length === 0) give(put, only)
    else if (free.length > 0 && waiting.size >= free.length) {
      for (const { tool } of free) asking.add(tool)
      drop(put, `each of ${free.length} calls may have asked it`)
    }
  }
  const place = (): void => {
    for (const put of [...waiting]) placeOne(put)
    change.tell()
  }
  return {
    async begin(tool, signal) {
      while (!mayBegin(tool)) await change.next(signal)
      const call = createRunning(tool)
      running.add(call)
      return {
        next: call.next,
        end() {
          running.delete(call)
          call.close()
          place()
        },
      }
    },
    put(question) {
      const { promise, resolve } = createDeferred<Answer>()
      const put = createWaiting(holdings, { question, answer: resolve })
      put.wait(PATIENCE.unclearMs, () => drop(put, "it did not show which call asked it"))
      waiting.add(put)
      place()
      return promise
    },
  }
}

/** Lets others wait until something is another. */
function createChange() {
  let told = createDeferred<void>()
  const tell = (): void => {
    const before = told
    told = createDeferred<void>()
    before.resolve()
  }
  return {
    tell,
    /** Settles with the next one; rejects where it is given up. */
    async next(signal: AbortSignal): Promise<void> {
      signal.throwIfAborted()
      signal.addEventListener("abort", tell)
      await told.promise
      signal.removeEventListener("abort", tell)
      signal.throwIfAborted()
    },
  }
}

/** A question that is still to be answered. */
interface Waiting extends Put {
  /** Does something if it is not answered, or found, by then. */
  wait(milliseconds: number, over: () => void): void
  /** It showed whose it is. */
  found(): void
}

function createWaiting(holdings: Counted, { question, answer }: Put): Waiting {
  let cancel = (): void => {}
  return {
    question,
    answer(given) {
      cancel()
      answer(given)
    },
    wait(milliseconds, over) {
      cancel()
      cancel = holdings.after(milliseconds, over)
    },
    found: () => cancel(),
  }
}

/** A call that runs. */
interface Running {
  /** What is called. */
  readonly tool: string
  /** How many of its questions wait for an answer. */
  readonly open: number
  /** Hands it a question of its own. */
  hand(put: Waiting, answered: () => void): void
  next(): Promise<Put>
  close(): void
}

function createRunning(tool: string): Running {
  const open = new Set<Put>()
  const queue: Put[] = []
  let taker: ((put: Put) => void) | undefined
  return {
    tool,
    get open() {
      return open.size
    },
    hand(put, answered) {
      const own: Put = {
        question: put.question,
        answer(given) {
          if (!open.delete(own)) return
          put.answer(given)
          answered()
        },
      }
      open.add(own)
      put.wait(PATIENCE.personMs, () => own.answer({ action: "cancel" }))
      if (taker === undefined) queue.push(own)
      else taker(own)
      taker = undefined
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
