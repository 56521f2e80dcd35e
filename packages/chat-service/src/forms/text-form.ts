import { type ChatForm, conversationProperty } from "./chat-form.js"

/** `{ input }`. */
export function createTextForm(kept: boolean): ChatForm {
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
      return { request: { messages: [{ role: "user", content }] }, handle: conversation }
    },
  }
}

interface TextInput {
  readonly input: string
  readonly conversation?: string
}
