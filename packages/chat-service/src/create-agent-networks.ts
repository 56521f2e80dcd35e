import {
  type ActionDeclaration,
  createAgenticService,
  type ExecuteContext,
  link,
  type OwnService,
  ServiceError,
  type Source,
  toObservable,
} from "@x/agentic-service"
import { compareText, type OptionRule } from "@x/tool-schemas/json"
import { map, shareReplay } from "rxjs"
import { gatherAnswer, isFailed, type MediaPiece, type SourcePiece, toPieces } from "./answer.js"
import {
  type AgentOptions,
  type ChatForms,
  type ChatMessage,
  type ChatRequest,
  createChatRequest,
  defaultChatLimits,
  defaultConversationLimits,
  type Respond,
  type RespondContext,
} from "./chat-options.js"
import { type Conversations, createConversations } from "./conversations.js"
import { createChatAction } from "./create-chat-service.js"
import { createForm } from "./forms/create-form.js"
import { expectOptions, networkRules } from "./option-rules.js"

/** What {@link createAgentNetworks} takes. */
export interface AgentNetworksOptions {
  /** The service's name. */
  readonly name: string
  /** What the agents are for. */
  readonly description?: string
  /** The agents that there are, by name; they may come and go. An agent whose object is the same has not changed. */
  readonly networks$: Source<Readonly<Record<string, AgentNetwork>> | ReadonlyMap<string, AgentNetwork>>
  /** How far agents may go in asking each other. */
  readonly asking?: Partial<AskLimits>
}

/**
 * Makes a service of agents that come and go, one tool each, named as the agent. A name that is no tool's name, or that hosts
 * cannot tell from another's, makes way for one made from the path; a name that the rest of the graph has already is left out
 * by the adapter, with a diagnostic. Agents may ask each other, whether they are tools or not. One with options that cannot
 * be is left out, and reported as broken.
 *
 * @throws ServiceError `invalid_definition` for an option of the service that is none, or cannot be.
 * @example
 * ```ts
 * import { createAgentNetworks } from "@x/chat-service"
 * import { BehaviorSubject } from "rxjs"
 *
 * const networks$ = new BehaviorSubject({ airline: { description: "Helps passengers", respond: () => "Gate 4" } })
 * const hive = createAgentNetworks({ name: "hive", networks$ })
 * console.log(Object.keys(hive.declared.links)) // [ 'agents' ]
 * ```
 */
export function createAgentNetworks(options: AgentNetworksOptions): OwnService {
  expectOptions("agent networks", options, RULES)
  const { name, description, networks$, asking } = options
  let agents: ReadonlyMap<string, AgentNetwork> = new Map()
  const tools = createNetworkTools(createAsk(() => agents, { depth: 8, questions: 64, ...asking }))
  const service$ = toObservable(networks$).pipe(
    map((networks) => {
      agents = toMap(networks)
      return createAgenticService({ name: "agents", actions: tools.of(agents) })
    }),
    shareReplay({ bufferSize: 1, refCount: true }),
  )
  return createAgenticService({
    name,
    ...(description !== undefined && { description }),
    links: { agents: link({ description: "The agents that can be asked now", service: service$ }) },
  })
}

const RULES: Record<keyof AgentNetworksOptions, OptionRule> = {
  name: "text",
  description: "text",
  networks$: "any",
  asking: { options: { depth: { from: 1, whole: true }, questions: { from: 0, whole: true } } },
}

/** By name, so that nothing depends on the order in which they are given. */
function toMap(
  networks: Readonly<Record<string, AgentNetwork>> | ReadonlyMap<string, AgentNetwork>,
): ReadonlyMap<string, AgentNetwork> {
  const entries = networks instanceof Map ? [...networks] : Object.entries(networks)
  // Code without types may give something else for an agent, which must not cost the others: it is reported as broken.
  const objects = entries.map(([name, agent]): [string, AgentNetwork] => [name, Object(agent)])
  return new Map(objects.sort(([left], [right]) => compareText(left, right)))
}

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

/** Makes the actions of the agents that there are. */
interface NetworkTools {
  /** One action for each public agent, by name; an agent that is the same object as before has the same action. */
  of(agents: ReadonlyMap<string, AgentNetwork>): Readonly<Record<string, ActionDeclaration>>
}

interface Tool {
  readonly agent: AgentNetwork
  readonly toolName: string | undefined
  readonly action: ActionDeclaration
  readonly conversations: Conversations | undefined
}

/** No agents yet. */
function createNetworkTools(toContext: CreateContext): NetworkTools {
  let tools: ReadonlyMap<string, Tool> = new Map()
  const toTool = (name: string, agent: AgentNetwork, toolName: string | undefined): Tool => {
    const before = tools.get(name)
    if (before?.agent === agent && before.toolName === toolName) return before
    try {
      expectOptions(`agent "${name}"`, agent, networkRules)
    } catch (fault) {
      return { agent, toolName, conversations: undefined, action: broken(fault) }
    }
    // The agent has changed, and its conversations go on.
    const conversations = agent.conversation === "kept" ? (before?.conversations ?? keep(agent)) : undefined
    return { agent, toolName, conversations, action: declare(name, { agent, toolName, conversations }, toContext) }
  }
  return {
    of(agents) {
      const listed = [...agents].filter(([, agent]) => agent.public !== false)
      const names = toToolNames(listed.map(([name]) => name))
      tools = new Map(listed.map(([name, agent]) => [name, toTool(name, agent, names.get(name))]))
      return Object.fromEntries([...tools].map(([name, { action }]) => [name, action]))
    },
  }
}

/** An action that its service leaves out and reports, with the reason: what is wrong with one agent costs no other. */
function broken(fault: unknown): ActionDeclaration {
  const description = (): never => {
    throw fault
  }
  return {
    kind: "action",
    options: Object.defineProperty({ description: "", execute() {} }, "description", { get: description }),
  }
}

function keep({ conversations }: AgentNetwork): Conversations {
  return createConversations({ ...defaultConversationLimits, ...conversations })
}

function declare(name: string, tool: Omit<Tool, "action">, toContext: CreateContext): ActionDeclaration {
  const { input: _input, conversation: _conversation, public: _public, respond, ...about } = tool.agent
  const options = {
    title: name,
    ...about,
    ...(tool.toolName !== undefined && { toolName: tool.toolName }),
    respond: (request: ChatRequest, context: ExecuteContext & RespondContext) =>
      respond(request, toContext(name, context)),
  }
  return createChatAction(options, { form: createForm(tool.agent, name), conversations: tool.conversations })
}

/**
 * The agent's own name is its tool's wherever a host takes it for one. Many hosts make `_` of `-`: of two names that differ in
 * nothing else the alphabetically first is kept, and the other tool is named after its path, as are those of all other names.
 */
function toToolNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  const free = [...names].sort().filter((name) => {
    const folded = name.replaceAll("-", "_")
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name) || taken.has(folded)) return false
    taken.add(folded)
    return true
  })
  return new Map(free.map((name) => [name, name]))
}

/** The agents that can be asked now. */
type FindAgents = () => ReadonlyMap<string, AgentNetwork>

/** What one agent is handed: the context of the call, and the way to the others. */
type CreateContext = (name: string, context: ExecuteContext & RespondContext) => AgentContext

/** Makes the contexts of agents that may ask each other. */
function createAsk(agents: FindAgents, limits: AskLimits): CreateContext {
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
