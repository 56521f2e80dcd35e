import type { MediaPiece } from "./answer/piece.js"

/** One message of a conversation. */
export interface ChatMessage {
  /** Who says it. */
  readonly role: "user" | "assistant"
  /** What is said. */
  readonly content: string
}

/** What an agent is asked, whatever form it came in. */
export interface ChatRequest {
  /** The conversation, as far as it is known here; the last message is the user's newest. */
  readonly messages: readonly ChatMessage[]
  /** What the last message says. */
  readonly text: string
  /** What came with the last message beside its text; empty where the form has no place for it. */
  readonly media: readonly MediaPiece[]
  /**
   * Data for the agent's tools that no model is to see (neuro-san's `sly_data`); empty where none came. It is not enumerable:
   * a copy of the request, its JSON and what a log prints of it are without it.
   */
  readonly slyData: Readonly<Record<string, unknown>>
  /** neuro-san's `chat_context` as it came, without the `sly_data` in it. */
  readonly chatContext?: Readonly<Record<string, unknown>>
  /** neuro-san's `chat_filter_type`: how much of what happens inside the client wants to hear. */
  readonly chatFilter?: string
}

/** What a request is made of; `slyData` is hidden from all but those who ask for it by name. */
export interface ChatRequestParts extends Omit<ChatRequest, "text" | "media" | "slyData"> {
  /** See {@link ChatRequest.media}. Default: nothing. */
  readonly media?: readonly MediaPiece[] | undefined
  /** See {@link ChatRequest.slyData}. Default: nothing. */
  readonly slyData?: Readonly<Record<string, unknown>> | undefined
}

/** Puts a request together. */
export function createChatRequest({ media = [], slyData = {}, ...parts }: ChatRequestParts): ChatRequest {
  const text = parts.messages.at(-1)?.content ?? ""
  const request = { ...parts, text, media, slyData }
  Object.defineProperty(request, "slyData", { enumerable: false })
  return request
}
