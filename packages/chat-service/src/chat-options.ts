import type { ExecuteContext, Hints, When } from "@x/agentic-service"
import type { Answer, InsideMessage, MediaPiece } from "./answer.js"

/** What an agent gets beside the request. */
export interface RespondContext extends Pick<ExecuteContext, "signal" | "principal"> {
  /**
   * Says what happens inside, beside the answer: a step, a tool's result, what another agent said. Clients of neuro-san hear
   * it where they want everything (`MAXIMAL`), and find all but progress in their `chat_context`; others do not.
   *
   * @throws ServiceError `too_large` where it grows beyond what an answer may hold.
   */
  tell(message: InsideMessage): void
}

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
  /** The keys of `slyData` pieces that may come back to whoever asked; the others stay here. Default: none. */
  readonly slyDataBack?: readonly string[]
  /** How long an answer may take, in milliseconds. Default: as whoever calls decides. */
  readonly timeoutMs?: number
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

/** How much one request may hold. */
export interface RequestLimits {
  /** The most characters of one message. Default 100,000. */
  readonly message: number
  /** The most messages. Default 1,000. */
  readonly messages: number
}

/** How much of the conversations of one agent is kept. */
export interface ConversationLimits {
  /** How many are kept in all; beyond it, the principal with the most loses the one used longest ago. Default 1,000. */
  readonly max: number
  /** How many of one principal are kept, and of all who are anonymous together; the one used longest ago goes first. Default 100. */
  readonly perPrincipal: number
  /** How long one is kept unused, in milliseconds. Default 1,800,000: half an hour. */
  readonly idleMs: number
  /** The most messages of one; its oldest turns go first. Default 200. */
  readonly messages: number
  /** The most characters of one; its oldest turns go first. Default 200,000. */
  readonly characters: number
}

/** The limits used where none are given. */
export const defaultConversationLimits: ConversationLimits = {
  max: 1_000,
  perPrincipal: 100,
  idleMs: 1_800_000,
  messages: 200,
  characters: 200_000,
}

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
  /** What the last message says as data (neuro-san's `structure`). */
  readonly structure?: Readonly<Record<string, unknown>>
  /**
   * Data for the agent's tools that no model is to see (neuro-san's `sly_data`); empty where none came. It is not enumerable:
   * a copy of the request, its JSON and what a log prints of it are without it.
   */
  readonly slyData: Readonly<Record<string, unknown>>
  /** neuro-san's `chat_context` as it came, without the `sly_data` in it. */
  readonly chatContext?: Readonly<Record<string, unknown>>
  /** neuro-san's `chat_filter_type`: `MINIMAL` is told the answer alone, `MAXIMAL` also what happens inside. */
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
