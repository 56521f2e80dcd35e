import type { AuthoredJsonSchema } from "@x/agentic-service"
import type { Gathered, InsideMessage } from "../answer.js"
import type { ChatForms, ChatMessage } from "../chat-options.js"
import type { Conversation } from "../conversations.js"
import type { ChatForm } from "./chat-form.js"
import { createNeuroSanForm } from "./neuro-san.js"
import { conversationProperty, keptOutput } from "./schemas.js"

/** A form that also shapes the answer's value. */
export interface AgentForm extends ChatForm {
  /** The schema of the answer's value; absent if the answer is text only. */
  readonly output?: AuthoredJsonSchema
  /** Whether the value has a field for an answer as data; otherwise data becomes text. */
  readonly structured: boolean
  /** Returns the answer's value, matching `output`, or `undefined` if there is none. */
  toValue(answer: Gathered, turn: Turn): Readonly<Record<string, unknown>> | undefined
}

/** An answer's call. */
interface Turn {
  /** The kept conversation. */
  readonly conversation: Pick<Conversation, "handle"> | undefined
  /** The input, as received. */
  readonly input: unknown
  /** The events inside before the answer. */
  readonly inside: readonly InsideMessage[]
}

/**
 * Creates the form of an agent.
 *
 * @param name - The agent's name in the origins of neuro-san's histories.
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

/** Creates the form `{ messages: [{ role, content }], stream? }`. */
function createMessagesForm(kept: boolean): ChatForm {
  return {
    schema: {
      type: "object",
      properties: {
        messages: {
          type: "array",
          description: kept ? "The new messages; earlier ones are stored" : "The whole conversation, oldest first",
          minItems: 1,
          items: {
            type: "object",
            properties: {
              role: { type: "string", enum: ["user", "assistant"], description: "The author" },
              content: { type: "string", description: "The text" },
            },
            required: ["role", "content"],
            additionalProperties: false,
          },
        },
        stream: { type: "boolean", description: "Whether progress notifications carry the text as it grows" },
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

/** Creates the form `{ input }`. */
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
