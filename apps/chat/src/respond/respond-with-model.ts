import { ServiceError } from "@x/agentic-service"
import type { Respond, RespondContext } from "@x/chat-service"
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai"

/** The model's endpoint. */
export interface ModelOptions {
  /** An OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  /** The endpoint's API key. */
  readonly apiKey: string
  /** The model's name. */
  readonly model: string
}

/**
 * Streams a model's answer. Cancels the request once nobody waits for the answer. Incomplete answers fail with their reason and
 * are never stored.
 */
export function respondWithModel({ baseUrl, apiKey, model }: ModelOptions): Respond<RespondContext> {
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 1, logLevel: "off" })
  return async function* ({ messages }, { signal }) {
    const asked = { model, messages: [...messages], stream: true as const }
    let said = false
    let reason: unknown
    try {
      const { data: stream, response } = await client.chat.completions.create(asked, { signal }).withResponse()
      const whole = response.headers.get("content-type")?.includes("json")
      for await (const { text, ended } of readChunks(whole ? [await response.json()] : stream)) {
        reason = ended
        said ||= text !== ""
        yield text
      }
    } catch (cause) {
      throw signal.aborted ? cause : toFailure(cause, said)
    }
    expectEnd(reason, said)
  }
}

/** A part of the model's answer. The last part carries the finish reason. */
interface Chunk {
  readonly text: string
  readonly ended: unknown
}

async function* readChunks(chunks: AsyncIterable<unknown> | readonly unknown[]): AsyncGenerator<Chunk> {
  let reason: unknown
  for await (const chunk of chunks) {
    const { text, ended } = readChunk(chunk)
    reason = ended ?? reason
    yield { text, ended: reason }
  }
}

/** Parses a chunk, or a whole answer instead of a stream. Servers omit fields that they do not need. */
function readChunk(chunk: unknown): Chunk {
  const { choices, error } = fieldsOf(chunk)
  if (error !== undefined && error !== null) throw new ServerSaid(error)
  const { delta, message, finish_reason } = fieldsOf(Array.isArray(choices) ? choices[0] : undefined)
  const { content, refusal } = fieldsOf(delta ?? message)
  const texts = [content, refusal].filter((part) => typeof part === "string")
  return { text: texts.join(""), ended: finish_reason ?? undefined }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}

/** An error sent with a success status instead of an answer. */
class ServerSaid extends Error {
  constructor(error: unknown) {
    super(JSON.stringify(error))
    this.name = "ServerSaid"
  }
}

/** The reasons with which servers end a complete answer. */
const WHOLE: readonly unknown[] = ["stop", "eos", "eos_token", "end_turn", "stop_sequence"]

/** @throws ServiceError if the answer is incomplete. */
function expectEnd(reason: unknown, said: boolean): void {
  if (WHOLE.includes(reason)) {
    if (!said) throw failure(["model_silent", "the model's answer is empty", "ask again, or rephrase the question"])
    return
  }
  switch (reason) {
    case undefined:
      throw said
        ? failure(["model_broke_off", "the model's answer broke off before its end", "ask again"])
        : failure(["model_silent", "the model's answer is empty", "ask again, or rephrase the question"])
    case "length":
    case "max_tokens":
      throw failure(["model_cut_off", "the model's answer was cut off: it grew too long", "ask for less at a time"])
    case "content_filter":
      throw failure(["model_filtered", "the model's answer was withheld by a content filter", "ask differently"])
    case "tool_calls":
    case "function_call":
      throw failure(["model_unexpected", "the model wants to call a tool, but it has none", "ask differently"])
    default:
      throw failure(["model_unexpected", "the model's answer ended for an unknown reason", "ask again"])
  }
}

/**
 * Returns what a client may know; the cause goes to the log, since it may name hosts and accounts.
 *
 * @param said - Whether part of the answer was sent.
 */
function toFailure(cause: unknown, said: boolean): ServiceError {
  if (said) return failure(["model_broke_off", "the model's answer broke off before its end", "ask again"], cause)
  if (cause instanceof APIConnectionTimeoutError)
    return failure(["model_unavailable", "the model did not answer in time", "try again later"], cause)
  if (cause instanceof APIConnectionError)
    return failure(["model_unavailable", "the model cannot be reached", "try again later"], cause)
  if (cause instanceof APIError && typeof cause.status === "number") return toRefusal(cause, cause.status)
  if (cause instanceof APIError || cause instanceof ServerSaid)
    return failure(["model_failed", "the model's server answered with an error", "try again later"], cause)
  return failure(["model_unexpected", "the model's server sent an invalid response", OPERATOR], cause)
}

const OPERATOR = "tell the operator of this chat: asking again does not help"

function toRefusal(cause: APIError, status: number): ServiceError {
  if (status === 401 || status === 403)
    return failure(["model_refused", `the model's server rejected this chat's key (${status})`, OPERATOR], cause)
  if (status === 404)
    return failure(["model_missing", "the model's server does not have this model (404)", OPERATOR], cause)
  if (status === 429) return toBusy(cause)
  if (cause.code === "context_length_exceeded")
    return failure(["model_overflow", "the conversation is too long for the model", "begin a new one"], cause)
  if (status >= 500)
    return failure(["model_unavailable", `the model's server failed (${status})`, "try again later"], cause)
  return failure(["model_refused", `the model's server refused the question (${status})`, "ask differently"], cause)
}

function toBusy(cause: APIError): ServiceError {
  if (cause.code === "insufficient_quota")
    return failure(["model_exhausted", "the model's server has no quota left for this chat (429)", OPERATOR], cause)
  const seconds = Number(cause.headers?.get("retry-after"))
  const when = seconds > 0 ? `in ${Math.ceil(seconds)} seconds` : "later"
  return failure(["model_busy", "the model's server is overloaded (429)", `try again ${when}`], cause)
}

/** A failure's code, message and recovery. */
type Wrong = readonly [code: string, message: string, recovery: string]

function failure([code, message, recovery]: Wrong, cause?: unknown): ServiceError {
  return new ServiceError(message, { code, recovery, cause })
}
