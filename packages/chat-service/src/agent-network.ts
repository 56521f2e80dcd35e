import { type ExecuteContext, ServiceError } from "@x/agentic-service"
import { gatherAnswer, isFailed, type MediaPiece, type SourcePiece, toPieces } from "./answer.js"
import {
  type AgentOptions,
  type ChatForms,
  type ChatMessage,
  createChatRequest,
  defaultChatLimits,
  type Respond,
  type RespondContext,
} from "./chat-options.js"

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
  /** What is asked, as data. Default: nothing. */
  readonly structure?: Readonly<Record<string, unknown>>
  /** Data for the other's tools that no model is to see. Default: none. */
  readonly slyData?: Readonly<Record<string, unknown>>
}

/** What another agent answered. */
export interface AgentReply {
  /** All its text. */
  readonly text: string
  /** What came beside the text, as pieces that may be handed on. */
  readonly extras: readonly (SourcePiece | MediaPiece)[]
  /** The answer as data, where it was given as such. */
  readonly structure?: Readonly<Record<string, unknown>>
  /** What its `slyDataBack` let come back of its sly data; empty where there is nothing. */
  readonly slyData: Readonly<Record<string, unknown>>
}

/** How far agents may go in asking each other, for one request of a client. */
export interface AskLimits {
  /** The most agents that wait for each other, with the one the client asked. Default 8. */
  readonly depth: number
  /** The most questions in all. Default 64. */
  readonly questions: number
}

/** The agents that can be asked now. */
type FindAgents = () => ReadonlyMap<string, AgentNetwork>

/** What one agent is handed: the context of the call, and the way to the others. */
export type CreateContext = (name: string, context: ExecuteContext & RespondContext) => AgentContext

/** Makes the contexts of agents that may ask each other. */
export function createAsk(agents: FindAgents, limits: AskLimits): CreateContext {
  return (name, context) => toContext({ agents, limits, context, asked: { count: 0 } }, [name])
}

/** One request of a client, with all that agents ask each other because of it. */
interface Asking {
  readonly agents: FindAgents
  readonly limits: AskLimits
  readonly context: RespondContext
  /** Counts, over all of them. */
  readonly asked: { count: number }
}

/** @param waiting - The agents that wait for this one's answer, and this one last. */
function toContext(asking: Asking, waiting: readonly string[]): AgentContext {
  const { principal, signal, tell } = asking.context
  const [, ...inside] = waiting
  return {
    signal,
    ...(principal && { principal }),
    tell: (message) => tell(inside.length === 0 ? message : { from: inside.join("/"), ...message }),
    async ask(name, question) {
      const agent = find(asking, waiting, name)
      const reply = await answerOf(agent, question, toContext(asking, [...waiting, name]))
      const { text, structure } = reply
      tell({ kind: "agent", from: [...inside, name].join("/"), text, ...(structure && { structure }) })
      return reply
    },
  }
}

function find({ agents, limits, context, asked }: Asking, waiting: readonly string[], name: string): AgentNetwork {
  context.signal.throwIfAborted()
  const agent = agents().get(name)
  if (agent === undefined) throw notAvailable(name, [...agents().keys()])
  if (waiting.includes(name)) {
    throw new ServiceError(`the agent "${name}" waits for this answer: ${[...waiting, name].join(" → ")}`, {
      code: "loop",
    })
  }
  if (waiting.length >= limits.depth) {
    throw new ServiceError(`the agent "${name}" was not asked: ${limits.depth} agents wait for each other already`, {
      code: "too_deep",
    })
  }
  asked.count += 1
  if (asked.count > limits.questions) {
    throw new ServiceError(
      `the agent "${name}" was not asked: agents have asked each other ${limits.questions} times`,
      {
        code: "too_many",
      },
    )
  }
  return agent
}

async function answerOf(agent: AgentNetwork, question: AgentQuestion, context: AgentContext): Promise<AgentReply> {
  const { messages, ...rest } = question
  const said: readonly ChatMessage[] = typeof messages === "string" ? [{ role: "user", content: messages }] : messages
  const answer = await agent.respond(createChatRequest({ messages: said, ...rest }), context)
  if (isFailed(answer)) throw new ServiceError(answer.message, answer)
  const { limits, slyDataBack = [] } = agent
  const limit = limits?.answer ?? defaultChatLimits.answer
  const how = { signal: context.signal, onText: () => {}, limit, structured: true, slyDataBack }
  return gatherAnswer(toPieces(answer), how)
}

function notAvailable(name: string, all: readonly string[]): ServiceError {
  return new ServiceError(`there is no agent "${name}" now`, {
    code: "not_available",
    recovery: all.length > 0 ? `ask one of "${all.join('", "')}"` : "wait until there is one",
  })
}
