import { type AuthoredJsonSchema, type Failed, fail } from "@x/agentic-service"
import type { Hears } from "../answer.js"
import type { ChatMessage, ChatRequestParts, RequestLimits } from "../chat-options.js"

/** One of the forms in which a chat request comes. */
export interface ChatForm {
  /** What the `chat` action takes. */
  readonly schema: AuthoredJsonSchema
  /** Reads input that fits the schema. */
  read(input: unknown): ChatInput
}

/** What was read. */
export interface ChatInput {
  /** What the agent is asked. */
  readonly request: ChatRequestParts
  /** The conversation to go on with. */
  readonly handle: string | undefined
  /** How much the client wants to hear while it waits. */
  readonly hears: Hears
}

/** Why a request cannot be taken, in the words and with the code of any input that does not fit; `undefined` where it can. */
export function checkMessages(messages: readonly ChatMessage[], limits: RequestLimits): Failed | undefined {
  const longest = messages.reduce((most, { content }) => Math.max(most, content.length), 0)
  if (longest > limits.message) return refuse(`a message has ${longest} characters: expected at most ${limits.message}`)
  if (messages.length > limits.messages) {
    return refuse(`there are ${messages.length} messages: expected at most ${limits.messages}`)
  }
  return messages.at(-1)?.role === "user"
    ? undefined
    : refuse("the last message is not the user's: expected that it is")
}

function refuse(message: string): Failed {
  return fail(message, { code: "invalid_input", recovery: "correct the input and call again" })
}
