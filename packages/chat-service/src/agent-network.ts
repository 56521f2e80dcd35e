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

/** An agent in a set whose agents may ask each other. */
export type AgentNetwork = AgentOptions & ChatForms & NetworkOptions

/** Options of an agent in a set, beyond those of a single agent. */
export interface NetworkOptions {
  /**
   * An identity that outlives the object: an agent with the same name and id is the same agent, changed. Its conversations
   * continue, and nobody is asked again. Default: each object is another agent.
   */
  readonly id?: string
  /** Whether clients may ask it, too; with `false` only other agents may. Default `true`. */
  readonly public?: boolean
  /** Answers a request. A thrown `ServiceError` is shown to the caller; any other error is only reported. */
  readonly respond: Respond<AgentContext>
}

/** The context of an agent in a set, beside the request. */
export interface AgentContext extends RespondContext {
  /**
   * Asks another agent of the set, and waits for its complete answer. The other agent sees only this question, never the
   * history or `slyData` of this request. Stops when this agent's caller gives up.
   *
   * @throws ServiceError `not_available` if there is no such agent, `loop` if it is waiting for this answer, `too_deep` and
   * `too_many` beyond the limits, or the other agent's failure. If you do not catch it, it becomes this agent's failure.
   */
  ask(name: string, request: AgentQuestion): Promise<AgentReply>
}

/** One agent's question to another. */
export interface AgentQuestion {
  /** The question, or a whole conversation with the question last. */
  readonly messages: string | readonly ChatMessage[]
  /** Attached media. Default: none. */
  readonly media?: readonly MediaPiece[]
  /** The question as data. Default: none. */
  readonly structure?: Readonly<Record<string, unknown>>
  /** Data for the other agent's tools that no model may see. Default: none. */
  readonly slyData?: Readonly<Record<string, unknown>>
}

/** The answer of another agent. */
export interface AgentReply {
  /** The complete text. */
  readonly text: string
  /** Sources and media, as pieces that can be passed on. */
  readonly extras: readonly (SourcePiece | MediaPiece)[]
  /** The answer as data, if the agent gave any. */
  readonly structure?: Readonly<Record<string, unknown>>
  /** The sly data that its `slyDataBack` returns; may be empty. */
  readonly slyData: Readonly<Record<string, unknown>>
}

/** Limits on agents asking each other, per client request. */
export interface AskLimits {
  /** The most agents that wait for each other, including the one that the client asked. Default 8. */
  readonly depth: number
  /** The most questions in total. Default 64. */
  readonly questions: number
}

/** Returns the agents that can be asked now. */
type FindAgents = () => ReadonlyMap<string, AgentNetwork>

/** Creates an agent's context from the call's context, with access to other agents. */
export type CreateContext = (name: string, context: ExecuteContext & RespondContext) => AgentContext

/** Creates the contexts of agents that may ask each other. */
export function createAsk(agents: FindAgents, limits: AskLimits): CreateContext {
  return (name, context) => toContext({ agents, limits, context, asked: { count: 0 } }, [name])
}

/** A client's request, including all questions between agents that it causes. */
interface Asking {
  readonly agents: FindAgents
  readonly limits: AskLimits
  readonly context: RespondContext
  /** The number of questions so far. */
  readonly asked: { count: number }
}

/** @param waiting - The agents waiting for this agent's answer, followed by itself. */
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
    throw new ServiceError(`agent "${name}" is waiting for this answer: ${[...waiting, name].join(" → ")}`, {
      code: "loop",
    })
  }
  if (waiting.length >= limits.depth) {
    throw new ServiceError(
      `agent "${name}" was not asked: ${limits.depth} agents are already waiting for each other, the limit`,
      {
        code: "too_deep",
      },
    )
  }
  asked.count += 1
  if (asked.count > limits.questions) {
    throw new ServiceError(
      `agent "${name}" was not asked: agents have asked ${limits.questions} questions, the limit`,
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
  return new ServiceError(`no agent "${name}" exists now`, {
    code: "not_available",
    recovery: all.length > 0 ? `ask one of "${all.join('", "')}"` : "try again when an agent is available",
  })
}
