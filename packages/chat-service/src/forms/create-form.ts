import type { AuthoredJsonSchema } from "@x/agentic-service"
import type { ChatForms } from "../chat-options.js"
import type { ChatMessage } from "../chat-request.js"
import type { Conversation } from "../conversations/create-conversations.js"
import type { ChatForm } from "./chat-form.js"
import { createMessagesForm } from "./messages-form.js"
import { toContext } from "./neuro-san-context.js"
import { createNeuroSanForm } from "./neuro-san-form.js"
import { createTextForm } from "./text-form.js"

/** A form, and what comes back beside the text. */
export interface AgentForm extends ChatForm {
  /** What the answer's value is; absent where the answer is its text alone. */
  readonly output?: AuthoredJsonSchema
  /** The answer's value, in the shape of `output`; `undefined` where there is none. */
  toValue(text: string, turn: Turn): Readonly<Record<string, unknown>> | undefined
}

/** What was said, and what was known before. */
export interface Turn {
  /** Where it is kept. */
  readonly conversation: Pick<Conversation, "handle"> | undefined
  /** The client's context. */
  readonly before: Readonly<Record<string, unknown>> | undefined
  /** All messages, with the answer. */
  readonly messages: readonly ChatMessage[]
}

/**
 * The form an agent is asked in.
 *
 * @param name - The agent, as the origins of neuro-san's histories call it.
 */
export function createForm({ input = "messages", conversation = "none" }: ChatForms, name: string): AgentForm {
  const kept = conversation === "kept"
  const form =
    input === "text"
      ? createTextForm(kept)
      : input === "messages"
        ? createMessagesForm(kept)
        : createNeuroSanForm(kept, name)
  if (kept)
    return { ...form, output: keptOutput, toValue: (text, turn) => ({ text, conversation: turn.conversation?.handle }) }
  if (conversation === "none") return { ...form, toValue: () => undefined }
  return {
    ...form,
    output: clientOutput,
    toValue: (text, { before, messages }) => ({ text, chat_context: toContext(before, name, messages) }),
  }
}

const text = { type: "string", description: "The answer" } as const

const keptOutput: AuthoredJsonSchema = {
  type: "object",
  properties: {
    text,
    conversation: { type: "string", description: "To be handed back as `conversation` to go on" },
  },
  required: ["text", "conversation"],
  additionalProperties: false,
}

const clientOutput: AuthoredJsonSchema = {
  type: "object",
  properties: {
    text,
    chat_context: { type: "object", description: "To be handed back as `chat_context` to go on" },
  },
  required: ["text", "chat_context"],
  additionalProperties: false,
}
