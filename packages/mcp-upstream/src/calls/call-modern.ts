import type { Ask, ExecuteContext, Failure, Reply } from "@x/agentic-service"
import { type Abortable, abortableOf } from "@x/agentic-service/adapter"
import { isRecord } from "@x/base"
import { taskOf } from "../life/task-results.js"
import type { Given } from "./asked-calls.js"
import { type Asked, toAsked, toDeclared, toResponse, type Unaskable } from "./client-request.js"
import { type CallOptions, type Heard, type Parameters, type RunningCall, sendCall } from "./send-call.js"
import { toAnswer, toOutcome } from "./to-reply.js"

/** A call to a modern server. */
export interface ModernCall extends RunningCall {
  /** The number of times its server has asked already. */
  readonly round: number
  /** Receives the task, if the server goes on without the request. */
  readonly handed: (task: Parameters) => void
  /** Repeats the call with additional parameters. */
  again(more: Parameters, context: ExecuteContext): Promise<Reply>
}

/**
 * Runs a call of a modern server. Questions arrive as the result, and the call is repeated with the answers (2026-07-28,
 * basic/patterns/mrtr).
 */
export async function callModern(call: ModernCall, context: ExecuteContext): Promise<Reply> {
  const { options } = call
  const mark = call.session.origins.mark()
  const signal = abortableOf(context)
  const running = await call.asked.begin({ tool: call.params.name, mark, context: () => context }, signal)
  const progress = context.unheard ? undefined : context.progress
  const result = await sendUntilHeard(call, { mark, signal, progress }).finally(running.end)
  const task = taskOf(result)
  if (task !== undefined) call.handed(task)
  if (result["resultType"] !== "input_required") return toOutcome(result)
  if (call.round >= MOST_ROUNDS || isPutOff(result)) return endless
  const { inputRequests, requestState } = result
  return toAsk(inputRequests, {
    options,
    context,
    answer: (more, later) => call.again({ ...more, ...(requestState !== undefined && { requestState }) }, later),
  })
}

/** The environment of a modern server's questions. */
interface AskingSite {
  readonly options: Pick<CallOptions, "mayAsk" | "label" | "limits">
  readonly context: ExecuteContext
  /** Sends the answers, and continues. */
  answer(more: Parameters, context: ExecuteContext): Promise<Reply>
}

/** Returns the questions and requests of a modern server as a question to the caller. */
export function toAsk(inputRequests: unknown, { options, context, answer }: AskingSite): Reply {
  const declared = toDeclared(options.mayAsk, context.clientCapabilities)
  const put = Object.entries(isRecord(inputRequests) ? inputRequests : {}).map(([key, input]) => {
    const { method, params } = Object(input)
    const asked = toAsked(String(method), params, { label: options.label, most: options.limits.resultChars, declared })
    return { key, method: String(method), asked }
  })
  const foreign = put.find(({ asked }) => "unaskable" in asked)
  if (foreign !== undefined) return unanswerable(foreign.method)
  const { questions, requests } = split(put)
  return {
    ok: "ask",
    questions,
    ...(Object.keys(requests).length > 0 && { requests }),
    resume: (answers, later) => {
      const read = readModern(put, answers)
      return read.ok ? answer(read.more, later) : Promise.resolve(read)
    },
  }
}

/** The most times that a server may ask about one call, or postpone it; the SDK's client has the same limit. */
const MOST_ROUNDS = 10

/** Milliseconds before a postponed call is repeated. */
const PUT_OFF_MS = 250

const endless: Failure = {
  ok: false,
  code: "endless_questions",
  message: `its server asked ${MOST_ROUNDS} times and still gave no result`,
  recovery: "try another way",
}

/** Sends a call, and repeats it with the server's state as long as the server only postpones it. */
async function sendUntilHeard(call: ModernCall, heard: Heard): Promise<Parameters> {
  let result = await sendCall(call, heard)
  for (let round = 0; round < MOST_ROUNDS && isPutOff(result); round += 1) {
    await pause(call, heard.signal)
    result = await sendCall({ ...call, params: { ...call.params, requestState: result["requestState"] } }, heard)
  }
  return result
}

function isPutOff({ resultType, inputRequests, requestState }: Parameters): boolean {
  const asks = isRecord(inputRequests) && Object.keys(inputRequests).length > 0
  return resultType === "input_required" && requestState !== undefined && !asks
}

function pause({ options }: ModernCall, signal: Abortable): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      cancel()
      signal.removeEventListener("abort", stop)
      resolve()
    }
    const cancel = options.holdings.after(PUT_OFF_MS, stop)
    signal.addEventListener("abort", stop)
  })
}

/** A modern server's questions and requests. */
type Puts = readonly { readonly key: string; readonly method: string; readonly asked: Asked | Unaskable }[]

/** Separates questions to the person from requests to the client. */
export function split(
  put: readonly Pick<Puts[number], "key" | "asked">[],
): Required<Pick<Ask, "questions" | "requests">> {
  const questions = put.flatMap(({ key, asked }) => ("question" in asked ? [[key, asked.question] as const] : []))
  const requests = put.flatMap(({ key, asked }) => ("request" in asked ? [[key, asked.request] as const] : []))
  return { questions: Object.fromEntries(questions), requests: Object.fromEntries(requests) }
}

/**
 * Returns the parameters for repeating the call. The modern era cannot report a refusal to the server, so a refused request
 * fails the call.
 */
function readModern(put: Puts, answers: Given): Failure | { readonly ok: true; readonly more: Parameters } {
  const inputResponses: Parameters = {}
  for (const { key, method, asked } of put) {
    if ("question" in asked) inputResponses[key] = toAnswer(answers, key)
    // If a question is declined, the requests beside it are never sent.
    else if (typeof answers !== "string") {
      const response = toResponse(answers[key])
      if ("error" in response) return refused(method, response.error.message)
      inputResponses[key] = response.result
    }
  }
  return { ok: true, more: { inputResponses } }
}

function refused(method: string, why: string): Failure {
  return {
    ok: false,
    code: "declined",
    message: `its server asked for "${method}", and the client did not do it: ${why}`,
    recovery: "try another way",
  }
}

function unanswerable(method: string): Failure {
  return {
    ok: false,
    code: "unanswerable",
    message: `its server asks for "${method}", which cannot be passed on`,
    recovery: "try another way",
  }
}
