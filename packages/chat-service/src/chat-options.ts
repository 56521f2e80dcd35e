import type { ExecuteContext, Hints, When } from "@x/agentic-service"
import type { Answer } from "./answer/piece.js"
import type { ChatRequest } from "./chat-request.js"
import type { ConversationLimits } from "./conversations/create-conversations.js"
import type { RequestLimits } from "./forms/chat-form.js"

/** What an agent gets beside the request. */
export type RespondContext = Pick<ExecuteContext, "signal" | "principal">

/** How much one chat may hold. */
export interface ChatLimits extends RequestLimits {
  /** The most characters, and bytes of media, of one answer; what grows beyond it is stopped. Default 10,000,000. */
  readonly answer: number
}

/** The limits used where none are given. */
export const defaultChatLimits: ChatLimits = { message: 100_000, messages: 1_000, answer: 10_000_000 }

/** In which form requests come, and who keeps the conversation. */
export type ChatForms =
  | {
      /** `messages` (default): `{ messages: [{ role, content }], stream? }`; `text`: `{ input }`. */
      readonly input?: "messages" | "text"
      /**
       * With `none` (default) nothing is kept or given back, and the agent gets what the client sends. With `kept` the answer
       * has a handle, `conversation`, and a call that hands it back goes on where that one ended.
       */
      readonly conversation?: "none" | "kept"
    }
  | {
      /** neuro-san's request: `{ user_message, chat_context?, chat_filter?, sly_data? }`. */
      readonly input: "neuro-san"
      /** As for the other forms; with `client` the answer has the `chat_context` after it, for the client to hand back. */
      readonly conversation?: "none" | "kept" | "client"
    }

/** What an agent says about itself, whatever it answers with. */
export interface AgentOptions extends Hints {
  /** A short name for people. */
  readonly title?: string
  /** What the agent can be asked, for the model that chooses it. */
  readonly description: string
  /** How much of the conversations is kept, where they are `kept`. */
  readonly conversations?: Partial<ConversationLimits>
  /** How much one chat may hold. */
  readonly limits?: Partial<ChatLimits>
  /** How long an answer may take, in milliseconds. Default: as whoever calls decides. */
  readonly timeout?: number
}

/** What {@link createChatService} takes. */
export type ChatOptions = AgentOptions & ChatForms & ChatServiceOptions

/** What a service has that an agent in a network has not. */
export interface ChatServiceOptions {
  /** The service's name. */
  readonly name: string
  /** A name to publish for `chat` instead of the one made from its path; unique across the graph. */
  readonly toolName?: string
  /** The agent can be asked only while this holds. Default: always. */
  readonly when?: When
  /** Answers. A thrown `ServiceError` is shown to the caller; anything else that is thrown is only reported. */
  readonly respond: Respond<RespondContext>
}

/** Answers a request, now or piece by piece. */
export type Respond<Context> = (request: ChatRequest, context: Context) => Answer | PromiseLike<Answer>
