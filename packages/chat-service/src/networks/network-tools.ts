import type { ActionDeclaration, ExecuteContext } from "@x/agentic-service"
import { createChatAction } from "../chat-action.js"
import type { ChatRequest } from "../chat-request.js"
import {
  type Conversations,
  createConversations,
  defaultConversationLimits,
} from "../conversations/create-conversations.js"
import { createForm } from "../forms/create-form.js"
import type { AgentNetwork } from "./agent-network.js"
import type { CreateContext } from "./create-ask.js"

/** Makes the actions of the agents that there are. */
export interface NetworkTools {
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
export function createNetworkTools(toContext: CreateContext): NetworkTools {
  let tools: ReadonlyMap<string, Tool> = new Map()
  const toTool = (name: string, agent: AgentNetwork, toolName: string | undefined): Tool => {
    const before = tools.get(name)
    if (before?.agent === agent && before.toolName === toolName) return before
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

function keep({ conversations }: AgentNetwork): Conversations {
  return createConversations({ ...defaultConversationLimits, ...conversations })
}

function declare(name: string, tool: Omit<Tool, "action">, toContext: CreateContext): ActionDeclaration {
  const { input: _input, conversation: _conversation, public: _public, respond, ...about } = tool.agent
  const options = {
    title: name,
    ...about,
    ...(tool.toolName !== undefined && { toolName: tool.toolName }),
    respond: (request: ChatRequest, context: ExecuteContext) => respond(request, toContext(name, context)),
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
