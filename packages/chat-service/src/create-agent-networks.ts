import {
  type ActionDeclaration,
  createAgenticService,
  type ExecuteContext,
  link,
  type OwnService,
  type Source,
  toObservable,
} from "@x/agentic-service"
import { newThing } from "@x/agentic-service/adapter"
import { compareText, type OptionRule } from "@x/base"
import { map, shareReplay } from "rxjs"
import { type AgentNetwork, type AskLimits, type CreateContext, createAsk } from "./agent-network.js"
import { type ChatRequest, defaultConversationLimits, type RespondContext } from "./chat-options.js"
import { type Conversations, createConversations } from "./conversations.js"
import { createChatAction } from "./create-chat-service.js"
import { createForm } from "./forms/create-form.js"
import { expectOptions, networkRules } from "./option-rules.js"

/** The options of {@link createAgentNetworks}. */
export interface AgentNetworksOptions {
  /** The service's name. */
  readonly name: string
  /** A description of the agents. */
  readonly description?: string
  /** The current agents by name. An agent with the same object counts as unchanged. */
  readonly networks$: Source<Readonly<Record<string, AgentNetwork>> | ReadonlyMap<string, AgentNetwork>>
  /** Limits on agents asking each other. */
  readonly asking?: Partial<AskLimits>
}

/**
 * Creates a service with one tool per agent, named like the agent, while agents come and go. A name that is not a valid tool
 * name, or that hosts cannot distinguish from another, is replaced by one formed from the path. A name that the rest of the
 * graph already uses is left out by the adapter, with a diagnostic. Agents may ask each other, whether they are tools or not.
 * An agent with invalid options is left out and reported.
 *
 * @throws ServiceError `invalid_definition` for an unknown or invalid option of the service.
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
  let id = newThing()
  const tools = createNetworkTools(createAsk(() => agents, { depth: 8, questions: 64, ...asking }))
  const service$ = toObservable(networks$).pipe(
    map((networks) => {
      const before = agents
      agents = toMap(networks)
      // Added and removed agents leave the service's identity unchanged. Another agent under the same name changes it.
      if ([...agents].some(([key, agent]) => !isSame(before.get(key) ?? agent, agent))) id = newThing()
      return createAgenticService({ name: "agents", id, actions: tools.of(agents) })
    }),
    shareReplay({ bufferSize: 1, refCount: true }),
  )
  return createAgenticService({
    name,
    ...(description !== undefined && { description }),
    links: { agents: link({ description: "The available agents", service: service$ }) },
  })
}

const RULES: Record<keyof AgentNetworksOptions, OptionRule> = {
  name: "text",
  description: "text",
  networks$: "any",
  asking: { options: { depth: { from: 1, whole: true }, questions: { from: 0, whole: true } } },
}

/** Whether two agents of one name are the same agent: one object, or two to which their author gave the same id. */
function isSame(one: AgentNetwork, other: AgentNetwork): boolean {
  return one === other || (one.id !== undefined && one.id === other.id)
}

/** Sorts agents by name, so that the given order does not matter. */
function toMap(
  networks: Readonly<Record<string, AgentNetwork>> | ReadonlyMap<string, AgentNetwork>,
): ReadonlyMap<string, AgentNetwork> {
  const entries = networks instanceof Map ? [...networks] : Object.entries(networks)
  // Untyped code may pass something else as an agent. Reports such an agent alone, without affecting others.
  const objects = entries.map(([name, agent]): [string, AgentNetwork] => [name, Object(agent)])
  return new Map(objects.sort(([left], [right]) => compareText(left, right)))
}

/** Creates the actions of the current agents. */
interface NetworkTools {
  /** Returns one action per public agent, by name. An unchanged agent keeps its action object. */
  of(agents: ReadonlyMap<string, AgentNetwork>): Readonly<Record<string, ActionDeclaration>>
}

interface Tool {
  readonly agent: AgentNetwork
  readonly toolName: string | undefined
  readonly action: ActionDeclaration
  readonly conversations: Conversations | undefined
}

/** Creates the tools without agents. */
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
    // Another agent under the same name must not read what this one was told.
    const known = before !== undefined && isSame(before.agent, agent) ? before.conversations : undefined
    const conversations = agent.conversation === "kept" ? (known ?? keep(agent)) : undefined
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

/** Creates an action that its service leaves out and reports with a reason, so that one faulty agent does not affect others. */
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
  const { id: _id, input: _input, conversation: _conversation, public: _public, respond, ...about } = tool.agent
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
 * Returns the agents whose tools get the agent's own name. Many hosts replace `-` by `_`. Of two names that then are equal, the
 * alphabetically first is used; other tools are named after their path, as are those with invalid names.
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
