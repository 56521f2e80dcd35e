import type { AuthoredJsonSchema } from "@x/agentic-service"
import type { Gathered, InsideMessage } from "../answer.js"
import type { ChatForms, ChatMessage } from "../chat-options.js"
import type { Conversation } from "../conversations.js"
import type { ChatForm } from "./chat-form.js"
import { createNeuroSanForm } from "./neuro-san.js"
import { conversationProperty, keptOutput } from "./schemas.js"

/** A form, and what comes back beside the text. */
export interface AgentForm extends ChatForm {
  /** What the answer's value is; absent where the answer is its text alone. */
  readonly output?: AuthoredJsonSchema
  /** Whether the value has a place for an answer as data; else it is text. */
  readonly structured: boolean
  /** The answer's value, in the shape of `output`; `undefined` where there is none. */
  toValue(answer: Gathered, turn: Turn): Readonly<Record<string, unknown>> | undefined
}

/** What an answer belongs to. */
interface Turn {
  /** Where the conversation is kept. */
  readonly conversation: Pick<Conversation, "handle"> | undefined
  /** What was asked, as it came. */
  readonly input: unknown
  /** What happened inside until it was answered. */
  readonly inside: readonly InsideMessage[]
}

/**
 * The form an agent is asked in.
 *
 * @param name - The agent, as the origins of neuro-san's histories call it.
 */
export function createForm({ input = "messages", conversation = "none" }: ChatForms, name: string): AgentForm {
  const kept = conversation === "kept"
  if (conversation === "client") return createNeuroSanForm(kept, name)
  const form =
    input === "text"
      ? createTextForm(kept)
      : input === "messages"
        ? createMessagesForm(kept)
        : createNeuroSanForm(kept, name)
  if (!kept) return { schema: form.schema, read: form.read, structured: false, toValue: () => undefined }
  return {
    schema: form.schema,
    read: form.read,
    structured: false,
    output: keptOutput,
    toValue: ({ text }, turn) => ({ text, conversation: turn.conversation?.handle }),
  }
}

/** `{ messages: [{ role, content }], stream? }`. */
function createMessagesForm(kept: boolean): ChatForm {
  return {
    schema: {
      type: "object",
      properties: {
        messages: {
          type: "array",
          description: kept ? "What is said now; earlier messages are known" : "The whole conversation, oldest first",
          minItems: 1,
          items: {
            type: "object",
            properties: {
              role: { type: "string", enum: ["user", "assistant"], description: "Who says it" },
              content: { type: "string", description: "What is said" },
            },
            required: ["role", "content"],
            additionalProperties: false,
          },
        },
        stream: { type: "boolean", description: "Whether progress tells the text as it grows" },
        ...(kept && conversationProperty),
      },
      required: ["messages"],
      additionalProperties: false,
    },
    read(input) {
      const { messages, stream, conversation } = input as MessagesInput // the schema above has been checked
      return { request: { messages }, handle: conversation, hears: stream === false ? "nothing" : "text" }
    },
  }
}

interface MessagesInput {
  readonly messages: readonly ChatMessage[]
  readonly stream?: boolean
  readonly conversation?: string
}

/** `{ input }`. */
function createTextForm(kept: boolean): ChatForm {
  return {
    schema: {
      type: "object",
      properties: {
        input: { type: "string", description: "text input for chat request" },
        ...(kept && conversationProperty),
      },
      required: ["input"],
      additionalProperties: false,
    },
    read(input) {
      const { input: content, conversation } = input as TextInput // the schema above has been checked
      return { request: { messages: [{ role: "user", content }] }, handle: conversation, hears: "text" }
    },
  }
}

interface TextInput {
  readonly input: string
  readonly conversation?: string
}
