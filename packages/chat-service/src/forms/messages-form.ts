import type { ChatMessage } from "../chat-request.js"
import { type ChatForm, conversationProperty } from "./chat-form.js"

/** `{ messages: [{ role, content }], stream? }`. */
export function createMessagesForm(kept: boolean): ChatForm {
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
      return { request: { messages }, handle: conversation, stream }
    },
  }
}

interface MessagesInput {
  readonly messages: readonly ChatMessage[]
  readonly stream?: boolean
  readonly conversation?: string
}
