import { type AuthoredJsonSchema, type Failed, fail } from "@x/agentic-service"
import type { Hears } from "../answer.js"
import type { ChatMessage, ChatRequestParts, RequestLimits } from "../chat-options.js"

/** A form of chat requests. */
export interface ChatForm {
  /** The input schema of `chat`. */
  readonly schema: AuthoredJsonSchema
  /** Parses input that matches the schema. */
  read(input: unknown): ChatInput
}

/** Parsed input. */
export interface ChatInput {
  /** The request to the agent. */
  readonly request: ChatRequestParts
  /** The handle of an earlier conversation. */
  readonly handle: string | undefined
  /** How much the client receives while it waits. */
  readonly hears: Hears
}

/** Returns why a request is invalid, like any other invalid input, or `undefined` if it is valid. */
export function checkMessages(messages: readonly ChatMessage[], limits: RequestLimits): Failed | undefined {
  const longest = messages.reduce((most, { content }) => Math.max(most, content.length), 0)
  if (longest > limits.message)
    return refuse(`found a message of ${longest} characters, expected at most ${limits.message}`)
  if (messages.length > limits.messages) {
    return refuse(`found ${messages.length} messages, expected at most ${limits.messages}`)
  }
  return messages.at(-1)?.role === "user" ? undefined : refuse("found an assistant's message last, expected the user's")
}

function refuse(message: string): Failed {
  return fail(message, { code: "invalid_input", recovery: "correct the input, then call again" })
}
