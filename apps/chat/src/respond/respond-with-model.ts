import { ServiceError } from "@x/agentic-service"
import type { Respond, RespondContext } from "@x/chat-service"
import OpenAI, { APIConnectionError, APIError } from "openai"

/** Where a model is. */
export interface ModelOptions {
  /** An endpoint that speaks OpenAI's API, such as `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string
  /** What it wants as a key. */
  readonly apiKey: string
  /** Which of its models. */
  readonly model: string
}

/** Answers with what a model says, as it says it. When nobody waits for the answer any more, the model is told to stop. */
export function respondWithModel({ baseUrl, apiKey, model }: ModelOptions): Respond<RespondContext> {
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 1, logLevel: "off" })
  return async function* ({ messages }, { signal }) {
    try {
      const stream = await client.chat.completions.create({ model, messages: [...messages], stream: true }, { signal })
      for await (const { choices } of stream) {
        const piece = choices[0]?.delta.content
        if (typeof piece === "string") yield piece
      }
    } catch (cause) {
      throw toFailure(cause)
    }
  }
}

/** Says what a client can know; why is for the log, for it may name hosts and accounts. */
function toFailure(cause: unknown): unknown {
  if (!(cause instanceof APIError)) return cause
  const what = cause instanceof APIConnectionError ? "cannot be reached" : `refused, with status ${cause.status}`
  return new ServiceError(`the model ${what}`, { code: "model_unavailable", recovery: "try again later", cause })
}
