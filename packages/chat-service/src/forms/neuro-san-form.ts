import type { MediaPiece } from "../answer/piece.js"
import type { ChatMessage } from "../chat-request.js"
import { type ChatForm, conversationProperty } from "./chat-form.js"
import { historyOf, type NeuroSanContext, type NeuroSanMessage, withoutSlyData } from "./neuro-san-context.js"
import { chatComponents, chatRequestSchema } from "./neuro-san-schema.js"

/**
 * `{ user_message, chat_context?, chat_filter?, sly_data? }`, as neuro-san's OpenAPI document has it.
 *
 * @param name - The agent, as the origins of histories call it.
 */
export function createNeuroSanForm(kept: boolean, name: string): ChatForm {
  const properties = { ...chatRequestSchema.properties, ...(kept && conversationProperty) }
  const schema = {
    components: { schemas: { ...chatComponents, ChatRequest: { ...chatRequestSchema, properties } } },
    $ref: "#/components/schemas/ChatRequest",
  }
  return {
    schema,
    read(input) {
      const { user_message, chat_context, chat_filter, sly_data, conversation } = input as NeuroSanInput // checked above
      const question: ChatMessage = { role: "user", content: user_message.text ?? "" }
      return {
        request: {
          messages: [...historyOf(chat_context, name), question],
          media: toMedia(user_message),
          slyData: { ...user_message.sly_data, ...sly_data },
          ...(chat_context && { chatContext: withoutSlyData(chat_context) }),
          ...(chat_filter?.chat_filter_type !== undefined && { chatFilter: chat_filter.chat_filter_type }),
        },
        handle: conversation,
      }
    },
  }
}

interface NeuroSanInput {
  readonly user_message: NeuroSanMessage
  readonly chat_context?: NeuroSanContext
  readonly chat_filter?: { readonly chat_filter_type?: string }
  readonly sly_data?: Readonly<Record<string, unknown>>
  readonly conversation?: string
}

function toMedia({ mime_data = [] }: NeuroSanMessage): readonly MediaPiece[] {
  return mime_data.map(({ mime_type = "application/octet-stream", mime_bytes = "" }) => ({
    type: "media",
    mimeType: mime_type,
    data: mime_bytes,
  }))
}
