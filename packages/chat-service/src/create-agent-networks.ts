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
import { compareText, type OptionRule } from "@x/tool-schemas/json"
import { map, shareReplay } from "rxjs"
import { type AgentNetwork, type AskLimits, type CreateContext, createAsk } from "./agent-network.js"
import { type ChatRequest, defaultConversationLimits, type RespondContext } from "./chat-options.js"
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
  let id = newThing()
  const tools = createNetworkTools(createAsk(() => agents, { depth: 8, questions: 64, ...asking }))
  const service$ = toObservable(networks$).pipe(
    map((networks) => {
      const before = agents
      agents = toMap(networks)
      // Agents that come and go leave the others what they are; another agent under a name is another thing.
      if ([...agents].some(([key, agent]) => (before.get(key) ?? agent) !== agent)) id = newThing()
      return createAgenticService({ name: "agents", id, actions: tools.of(agents) })
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
