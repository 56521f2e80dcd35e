import { type ExecuteContext, ServiceError } from "@x/agentic-service"
import { gatherAnswer } from "../answer/gather-answer.js"
import { isFailed } from "../answer/is-failed.js"
import { toPieces } from "../answer/to-pieces.js"
import { defaultChatLimits } from "../chat-options.js"
import { type ChatMessage, createChatRequest } from "../chat-request.js"
import type { AgentContext, AgentNetwork, AgentQuestion, AgentReply, AskLimits } from "./agent-network.js"

/** The agents that can be asked now. */
export type FindAgents = () => ReadonlyMap<string, AgentNetwork>

/** What one agent is handed: the context of the call, and the way to the others. */
export type CreateContext = (name: string, context: ExecuteContext) => AgentContext

/** Makes the contexts of agents that may ask each other. */
export function createAsk(agents: FindAgents, limits: AskLimits): CreateContext {
  return (name, context) => toContext({ agents, limits, context, asked: { count: 0 } }, [name])
}

/** One request of a client, with all that agents ask each other because of it. */
interface Asking {
  readonly agents: FindAgents
  readonly limits: AskLimits
  readonly context: ExecuteContext
  /** Counts, over all of them. */
  readonly asked: { count: number }
}

/** @param waiting - The agents that wait for this one's answer, and this one last. */
function toContext(asking: Asking, waiting: readonly string[]): AgentContext {
  const { principal, signal } = asking.context
  return {
    signal,
    ...(principal && { principal }),
    ask: async (name, question) =>
      answerOf(find(asking, waiting, name), question, toContext(asking, [...waiting, name])),
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
  const { limits } = agent
  const limit = limits?.answer ?? defaultChatLimits.answer
  return gatherAnswer(toPieces(answer), { signal: context.signal, progress: () => {}, limit })
}

function notAvailable(name: string, all: readonly string[]): ServiceError {
  return new ServiceError(`there is no agent "${name}" now`, {
    code: "not_available",
    recovery: all.length > 0 ? `ask one of "${all.join('", "')}"` : "wait until there is one",
  })
}
