import { createAgenticService, link } from "@x/agentic-service"
import { defer, of } from "rxjs"
import { type Agent, isAgent } from "./agent.js"
import type { AgentDefinition, PlainDefinition } from "./agent-definition.js"
import type { AgentOptions } from "./agent-option.js"
import { checkDefinition } from "./check-definition.js"
import { createAgentActions } from "./create-agent-actions.js"
import { createServiceKeeper } from "./create-service-keeper.js"

/**
 * Makes an agent of one definition: an agentic service with an action named exactly as the agent is, and one for each further
 * tool. {@link runAgent} makes it a command; it can be served, linked and closed as any service.
 *
 * @throws CliError `invalid_definition` when it could not be called by its name, or two of its tools have one name.
 */
export function defineAgent<
  const Options extends AgentOptions = Readonly<Record<never, never>>,
  Handles = Readonly<Record<never, never>>,
  const Required extends string = never,
>(definition: AgentDefinition<Options, Handles, Required>): Agent
export function defineAgent(definition: PlainDefinition): Agent {
  checkDefinition(definition)
  const { name, version = "0.0.0", description, mcpSupported = true } = definition
  const agents = Object.entries(definition.agents ?? {})
  const linked = new Map(agents.map(([key, agent]) => [key, typeof agent === "function" ? agent : () => agent]))
  const keeper = createServiceKeeper(definition.services ?? {})
  const actions = createAgentActions(definition, { linked, keeper, self: () => agent })
  const links = [...linked].map(([key, find]) => [key, link({ service: defer(() => of(find())) })] as const)
  let stopping = false
  const agent: Agent = {
    ...createAgenticService({ name, description, actions, links: Object.fromEntries(links) }),
    version,
    mcpSupported,
    primary: name,
    start: async () => void (await keeper.start()),
    async stop() {
      // Agents may be linked in a circle.
      if (stopping) return
      stopping = true
      await keeper.stop()
      for (const find of linked.values()) {
        const other = find()
        if (isAgent(other)) await other.stop()
      }
      stopping = false
    },
  }
  return agent
}
