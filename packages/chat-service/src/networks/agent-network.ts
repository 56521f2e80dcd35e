import type { MediaPiece, SourcePiece } from "../answer/piece.js"
import type { AgentOptions, ChatForms, Respond, RespondContext } from "../chat-options.js"
import type { ChatMessage } from "../chat-request.js"

/** One agent of a set that may ask each other; the agents behind it are its own affair. */
export type AgentNetwork = AgentOptions & ChatForms & NetworkOptions

/** What an agent in a set has that one alone has not. */
export interface NetworkOptions {
  /** Whether clients may ask it, too; `false` is for the others alone. Default `true`. */
  readonly public?: boolean
  /** Answers. A thrown `ServiceError` is shown to the caller; anything else that is thrown is only reported. */
  readonly respond: Respond<AgentContext>
}

/** What an agent in a set gets beside the request. */
export interface AgentContext extends RespondContext {
  /**
   * Asks another agent of the set, and waits for the whole of its answer. Nothing is handed on that is not given here: no
   * history, no `slyData`. It stops when this agent's caller gives up.
   *
   * @throws ServiceError `not_available` where there is no such agent now, `loop` where it is among those that wait for this
   * answer, `too_deep` and `too_many` beyond the limits, and whatever the other fails with. Not caught, it is this agent's failure.
   */
  ask(name: string, request: AgentQuestion): Promise<AgentReply>
}

/** What one agent asks another. */
export interface AgentQuestion {
  /** What is asked, or a whole conversation, the question last. */
  readonly messages: string | readonly ChatMessage[]
  /** What comes with it. Default: nothing. */
  readonly media?: readonly MediaPiece[]
  /** Data for the other's tools that no model is to see. Default: none. */
  readonly slyData?: Readonly<Record<string, unknown>>
}

/** What another agent answered. */
export interface AgentReply {
  /** All its text. */
  readonly text: string
  /** What came beside the text, as pieces that may be handed on. */
  readonly extras: readonly (SourcePiece | MediaPiece)[]
}

/** How far agents may go in asking each other, for one request of a client. */
export interface AskLimits {
  /** The most agents that wait for each other, with the one the client asked. Default 8. */
  readonly depth: number
  /** The most questions in all. Default 64. */
  readonly questions: number
}
