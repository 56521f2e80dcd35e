import type { ExecuteContext, Hints, When } from "@x/agentic-service"
import type { Answer, InsideMessage, MediaPiece } from "./answer.js"

/** The context of an agent, beside the request. */
export interface RespondContext extends Pick<ExecuteContext, "signal" | "principal"> {
  /**
   * Reports an event inside, beside the answer: a step, a tool's result, another agent's answer. neuro-san clients with the
   * filter `MAXIMAL` receive it, and find everything but progress in their `chat_context`. Other clients do not.
   *
   * @throws ServiceError `too_large` beyond the limit of an answer.
   */
  tell(message: InsideMessage): void
}

/** Limits of one chat. */
export interface ChatLimits extends RequestLimits {
  /** The most characters and bytes of media of one answer, which is stopped beyond that. Default 10,000,000. */
  readonly answer: number
}

/** The default limits. */
export const defaultChatLimits: ChatLimits = { message: 100_000, messages: 1_000, answer: 10_000_000 }

/** Selects the form of requests and the keeper of conversations. */
export type ChatForms =
  | {
      /** `messages` (default): `{ messages: [{ role, content }], stream? }`; `text`: `{ input }`. */
      readonly input?: "messages" | "text"
      /**
       * With `none` (default), nothing is kept, and the agent gets the client's messages only. With `kept`, the answer has a
       * handle, `conversation`. A call with that handle continues the conversation.
       */
      readonly conversation?: "none" | "kept"
    }
  | {
      /** neuro-san's request: `{ user_message, chat_context?, chat_filter?, sly_data? }`. */
      readonly input: "neuro-san"
      /**
       * Like the other forms; with `client`, the answer has the new `chat_context`, which the client sends with its next
       * request.
       */
      readonly conversation?: "none" | "kept" | "client"
    }

/** Options of any agent. */
export interface AgentOptions extends Hints {
  /** A short title for people. */
  readonly title?: string
  /** Describes the agent to models. */
  readonly description: string
  /** Limits of kept conversations. */
  readonly conversations?: Partial<ConversationLimits>
  /** Limits of one chat. */
  readonly limits?: Partial<ChatLimits>
  /** The keys of `slyData` pieces to return to the caller; others are dropped. Default: none. */
  readonly slyDataBack?: readonly string[]
  /** How long an answer may take, in milliseconds. Default: the caller's limit. */
  readonly timeoutMs?: number
}

/** The options of {@link createChatService}. */
export type ChatOptions = AgentOptions & ChatForms & ChatServiceOptions

/** Further options of a service, compared with an agent in a network. */
export interface ChatServiceOptions {
  /** The service's name. */
  readonly name: string
  /** The tool name for `chat`, instead of one formed from its path; unique across the graph. */
  readonly toolName?: string
  /** The condition under which the agent is available. Default: always. */
  readonly when?: When
  /** Answers a request. A thrown `ServiceError` is shown to the caller; any other error is only reported. */
  readonly respond: Respond<RespondContext>
}

/** Answers a request, at once or piece by piece. */
export type Respond<Context> = (request: ChatRequest, context: Context) => Answer | PromiseLike<Answer>

/** Limits of one request. */
export interface RequestLimits {
  /** The most characters of one message. Default 100,000. */
  readonly message: number
  /** The most messages. Default 1,000. */
  readonly messages: number
}

/** Limits of an agent's kept conversations. */
export interface ConversationLimits {
  /**
   * The most conversations in total. Beyond that, the least recently used one of the principal with the most is dropped.
   * Default 1,000.
   */
  readonly max: number
  /**
   * The most conversations of one principal, and of all anonymous callers together. The least recently used one is dropped
   * first. Default 100.
   */
  readonly perPrincipal: number
  /** How long an unused conversation is kept, in milliseconds. Default 1,800,000: half an hour. */
  readonly idleMs: number
  /** The most messages of one conversation; its oldest turns are dropped first. Default 200. */
  readonly messages: number
  /** The most characters of one conversation; its oldest turns are dropped first. Default 200,000. */
  readonly characters: number
}

/** The default limits. */
export const defaultConversationLimits: ConversationLimits = {
  max: 1_000,
  perPrincipal: 100,
  idleMs: 1_800_000,
  messages: 200,
  characters: 200_000,
}

/** A message of a conversation. */
export interface ChatMessage {
  /** The author. */
  readonly role: "user" | "assistant"
  /** The text. */
  readonly content: string
}

/** An agent's request, independent of its form. */
export interface ChatRequest {
  /** The known conversation; the last message is the user's new one. */
  readonly messages: readonly ChatMessage[]
  /** The text of the last message. */
  readonly text: string
  /** The media of the last message; may be empty. */
  readonly media: readonly MediaPiece[]
  /** The data of the last message (neuro-san's `structure`). */
  readonly structure?: Readonly<Record<string, unknown>>
  /**
   * Data for the agent's tools that no model may see (neuro-san's `sly_data`); may be empty. Not enumerable: copies, JSON and
   * logs of the request omit it.
   */
  readonly slyData: Readonly<Record<string, unknown>>
  /** neuro-san's `chat_context` as received, without its `sly_data`. */
  readonly chatContext?: Readonly<Record<string, unknown>>
  /** neuro-san's `chat_filter_type`: `MINIMAL` receives the answer only, `MAXIMAL` also events inside. */
  readonly chatFilter?: string
}

/** The parts of a request; `slyData` becomes non-enumerable. */
export interface ChatRequestParts extends Omit<ChatRequest, "text" | "media" | "slyData"> {
  /** See {@link ChatRequest.media}. Default: none. */
  readonly media?: readonly MediaPiece[] | undefined
  /** See {@link ChatRequest.slyData}. Default: none. */
  readonly slyData?: Readonly<Record<string, unknown>> | undefined
}

/** Creates a request from its parts. */
export function createChatRequest({ media = [], slyData = {}, ...parts }: ChatRequestParts): ChatRequest {
  const text = parts.messages.at(-1)?.content ?? ""
  const request = { ...parts, text, media, slyData }
  Object.defineProperty(request, "slyData", { enumerable: false })
  return request
}
