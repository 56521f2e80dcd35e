import type { Ask, ExecuteContext, Principal, Progress, Reply } from "@x/agentic-service"
import { actionFailed, guardListeners, idleContext, toOutcome } from "@x/agentic-service/adapter"
import { isRecord, type JsonValue, toJson } from "@x/base"
import { type AnyFrame, isId, type OfferFrame } from "../frames.js"
import { busy, forgotten, tooLate, tooLong, writeReply } from "../reply.js"
import { createLateness } from "../time.js"
import { type AskHere, callAction, checkInput, type Request, readState } from "./answer-calls.js"
import type { OfferedGraph } from "./offered-graph.js"
import { createWatches } from "./watches.js"

/** Answers the requests of the other side. */
export interface RequestDesk {
  /** Handles a request, or a frame about one. */
  take(frame: AnyFrame): void
  /** Checks the watched states again: their values may be held in another place now. */
  look(): void
  /** Aborts everything that runs, and sends no more answers. */
  close(): void
}

/** Options of the request desk. */
export interface DeskOptions {
  /** The offered services. */
  readonly graph: OfferedGraph
  /** Sends a frame. Pending changes are sent before a result. */
  readonly send: (frame: OfferFrame) => void
  /** Returns the most requests that may run at once. */
  readonly most: () => number
  /** Returns the longest frame that the other side accepts. */
  readonly longest: () => number
  /** Asks questions on this side. */
  readonly ask: AskHere | undefined
}

/** Creates a request desk without requests. */
export function createRequestDesk(options: DeskOptions): RequestDesk {
  const { graph, send, most } = options
  const lateness = createLateness()
  const running = new Map<number, Running>()
  const watches = createWatches(graph)
  let closed = false

  const settle = (id: number, result: JsonValue): void => {
    if (closed || !running.delete(id)) return
    const text = JSON.stringify(result)
    const fits = text.length < options.longest() * 0.9
    send({ t: "result", id, r: fits ? result : tooLong(text.length, options.longest()) })
  }
  const refuse = ({ at, ttl }: AnyFrame): JsonValue | undefined => {
    const late = typeof at === "number" ? lateness.measure(at) : 0
    if (typeof ttl === "number" && late > ttl) return tooLate
    return running.size > most() ? busy : undefined
  }
  const begin = (frame: AnyFrame, answer: (request: Request) => Promise<JsonValue>): void => {
    const { id, c } = frame
    if (!isId(id) || running.has(id)) return
    const started = createRunning(id, send)
    running.set(id, started)
    const refused = refuse(frame)
    if (refused !== undefined) {
      settle(id, refused)
      return
    }
    const context = readContext(c, started)
    // A custom service may throw although its contract forbids it.
    answer({ id, frame, context }).then(
      (result) => settle(id, result),
      () => settle(id, toJson(actionFailed("the service threw outside of its actions"))),
    )
  }
  const answers = createAnswers(options)
  return {
    take(frame) {
      const answer = answers.find(frame.t)
      if (answer !== undefined) begin(frame, answer)
      else if (frame.t === "beat") lateness.measure(Number(frame["at"]))
      else if (frame.t === "watch") watches.set(frame)
      else if (isId(frame["id"])) steer(running.get(frame["id"]), frame.t)
    },
    look: watches.look,
    close() {
      closed = true
      for (const { abort } of running.values()) abort()
      answers.close()
      watches.close()
    },
  }
}

/** Creates the handlers of the request kinds. */
function createAnswers(options: DeskOptions) {
  const { graph } = options
  // A `resume` continues the very call that asked, and only for the identity of that call.
  const questions = new Map<number, { readonly ask: Ask; readonly of: unknown }>()
  const reply = ({ id, frame: { of } }: Request, came: Reply): JsonValue => {
    if (came.ok === "ask") questions.set(id, { ask: came, of })
    return writeReply(came)
  }
  const kinds = new Map<string, (request: Request) => Promise<JsonValue>>([
    ["call", async (request) => reply(request, await callAction(request, options))],
    ["check", (request) => checkInput(request, graph)],
    ["read", (request) => readState(request, graph)],
    [
      "resume",
      async (request) => {
        const { q, a, of } = request.frame
        const question = isId(q) ? questions.get(q) : undefined
        if (question === undefined || question.of !== of) return toJson(forgotten)
        questions.delete(Number(q))
        const answer = a === "declined" || isRecord(a) ? a : "cancelled"
        return reply(request, await question.ask.resume(answer, request.context))
      },
    ],
  ])
  return {
    find: (kind: string) => kinds.get(kind),
    /** Cancels all unanswered questions. */
    close(): void {
      for (const { ask } of questions.values()) void toOutcome("", ask, idleContext)
    },
  }
}

function steer(running: Running | undefined, kind: string): void {
  if (kind === "more") running?.more()
  if (kind === "cancel") running?.abort()
}

/** A request that is being answered. */
interface Running {
  /** Aborts when the other side cancels the request. */
  readonly signal: AbortSignal
  /** Reports progress. */
  progress(progress: Progress): void
  /** Called when the other side accepts another report. */
  more(): void
  /** Aborts the request. */
  abort(): void
}

/**
 * Sends progress reports one at a time. Reports that arrive before the other side asks for more are merged, without losing
 * text.
 */
function createRunning(id: number, send: (frame: OfferFrame) => void): Running {
  const controller = new AbortController()
  guardListeners(controller.signal, (cause) => {
    // biome-ignore lint/suspicious/noConsole: otherwise this side never notices it, and an unhandled error ends Node
    globalThis.console?.warn("@x/service-wire: a listener of a call's abort signal threw", cause)
  })
  let free = true
  let waiting: Progress | undefined

  const flush = (): void => {
    if (!free || waiting === undefined) return
    const { progress, total, message, text } = waiting
    waiting = undefined
    free = false
    const rest = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
    send({ t: "progress", id, p: { progress, ...rest, ...(text !== undefined && { text }) } })
  }
  return {
    signal: controller.signal,
    progress(report) {
      const text = (waiting?.text ?? "") + (report.text ?? "")
      const { text: _, ...rest } = report
      waiting = { ...rest, ...(text !== "" && { text: text.slice(-PROGRESS_TEXT) }) }
      flush()
    },
    more() {
      free = true
      flush()
    },
    abort: () => controller.abort(),
  }
}

const PROGRESS_TEXT = 1_000_000

function readContext(sent: unknown, { signal, progress }: Running): ExecuteContext {
  const { principal, answers, confirmed } = isRecord(sent) ? sent : {}
  return {
    signal,
    progress,
    answers: isRecord(answers) ? answers : {},
    ...(isPrincipal(principal) && { principal }),
    ...(confirmed === true && { confirmed }),
  }
}

function isPrincipal(value: unknown): value is Principal {
  return isRecord(value) && typeof value["id"] === "string"
}
