import { cleanLine, cutText, toMessage } from "@x/base"
import type { CallContext, Peer } from "../../calls/call-context.js"
import { ClientRefusal } from "../../calls/client-requests.js"
import { type Handler, INTERNAL_ERROR, type Params, ProtocolError, type Result } from "../../handlers/handler.js"

/** How often one call may ask, as in SDK v2. */
const ROUNDS = 8

/** A client request from an `input_required` result. */
interface InputRequest {
  /** The method. */
  readonly method: string
  /** Its parameters. */
  readonly params?: Params
}

/** The parts of a context with which a call continues after its answers. */
type Answered = Required<Pick<CallContext, "inputResponses">> & Pick<CallContext, "requestState">

/** The handlers of a request that may ask. */
export interface Asking {
  /** The handler of the following rounds. Default: that of the first. */
  readonly again?: Handler
  /** Whether the request is a call of a tool, whose failures are results. */
  readonly isCall: boolean
}

/**
 * Sends a legacy client the questions and requests of a handler, one round after the other, and calls again with the responses.
 * The SDK does the same, but ends the request if the client fails to answer. Here the asking action learns of it: a server gets
 * the error (2025-11-25, client/sampling, error handling), a question is cancelled. Otherwise it would wait until it expires.
 */
export function putRequests(handler: Handler, { again = handler, isCall }: Asking): Handler {
  return async (params, context) => {
    let result = await handler(params, context)
    for (let round = 0; isAsking(result); round += 1) {
      const asked = {
        result,
        context,
        goOn: (answered: Partial<CallContext>) => again(params, { ...context, ...answered }),
      }
      const failure = round < ROUNDS ? undefined : `it gave no usable answer in ${ROUNDS} rounds`
      const answered = failure ?? (await answerAll(result, context).catch(toReason))
      if (typeof answered === "string") return release(asked, { reason: answered, isCall })
      result = await asked.goOn(answered)
    }
    return result
  }
}

function isAsking(result: Result): boolean {
  return result["resultType"] === "input_required"
}

/** A handler that waits for responses. */
interface Asked {
  readonly result: Result
  readonly context: CallContext
  /** Continues with responses. */
  goOn(answered: Partial<CallContext>): Promise<Result>
}

/** Cancels what a handler asks, and returns what comes of that, with the reason. */
async function release(
  { result, context, goOn }: Asked,
  { reason, isCall }: { readonly reason: string; readonly isCall: boolean },
): Promise<Result> {
  const inputResponses = Object.fromEntries(
    requestsOf(result).map(([key, { method }]) => [key, isOfClient(method) ? unanswered : { action: "cancel" }]),
  )
  // A client that cancelled the request waits for nothing, but the action still waits for the client.
  const signal = context.signal.aborted ? new AbortController().signal : context.signal
  const ended = await goOn({ inputResponses, signal, ...stateOf(result) })
  const text = { type: "text", text: `the client could not be asked: ${reason}` }
  if (isAsking(ended)) {
    if (isCall) return { content: [text], isError: true }
    throw new ProtocolError(INTERNAL_ERROR, text.text)
  }
  const { content } = ended
  return isCall && Array.isArray(content) ? { ...ended, content: [...content, text] } : ended
}

function toReason(cause: unknown): string {
  return cutText(cleanLine(toMessage(cause)), 500)
}

function isOfClient(method: string): boolean {
  return method !== "elicitation/create"
}

function requestsOf({ inputRequests }: Result): readonly (readonly [string, InputRequest])[] {
  // A handler of ours made them.
  return Object.entries((inputRequests ?? {}) as Readonly<Record<string, InputRequest>>)
}

/** Sends the requests one after the other, because one person looks at them. */
async function answerAll(result: Result, context: CallContext): Promise<Answered> {
  const inputResponses: Record<string, unknown> = {}
  for (const [key, request] of requestsOf(result)) inputResponses[key] = await putRequest(request, context)
  return { inputResponses, ...stateOf(result) }
}

function stateOf({ requestState }: Result): Pick<CallContext, "requestState"> {
  return typeof requestState === "string" ? { requestState } : {}
}

/** Sends one request. A refusal becomes its response, except for a question: the client failed to show it. */
async function putRequest(
  { method, params }: InputRequest,
  { peer, signal }: Pick<CallContext, "peer" | "signal">,
): Promise<unknown> {
  const put: Peer["request"] = peer?.request
  if (put === undefined) throw new Error("this connection cannot carry questions")
  if (!isOfClient(method)) return put(method, withPageId(params))
  return put(method, params).catch((cause: unknown) => {
    if (signal.aborted) throw cause
    return toRefusal(cause)
  })
}

/** Gives a page an id, which the legacy era requires (2025-11-25, client/elicitation) and the modern one does not have. */
function withPageId(params: Params | undefined): Params | undefined {
  if (params?.["mode"] !== "url" || params["elicitationId"] !== undefined) return params
  return { ...params, elicitationId: crypto.randomUUID() }
}

function toRefusal(cause: unknown): ClientRefusal {
  const { code, message } = Object(cause)
  // The client's own errors have a number. Any other error means that no response arrived.
  return typeof code === "number" ? new ClientRefusal(code, String(message)) : unanswered
}

const unanswered = new ClientRefusal(INTERNAL_ERROR, "the client gave no answer")
