import { type AgenticService, createAgenticService, link, type Source, toObservable } from "@x/agentic-service"
import { map, shareReplay } from "rxjs"
import type { AgentNetwork, AskLimits } from "./agent-network.js"
import { createAsk } from "./create-ask.js"
import { createNetworkTools } from "./network-tools.js"

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
 * by the adapter, with a diagnostic. Agents may ask each other, whether they are tools or not.
 */
export function createAgentNetworks({ name, description, networks$, asking }: AgentNetworksOptions): AgenticService {
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

/** By name, so that nothing depends on the order in which they are given. */
function toMap(
  networks: Readonly<Record<string, AgentNetwork>> | ReadonlyMap<string, AgentNetwork>,
): ReadonlyMap<string, AgentNetwork> {
  const entries = networks instanceof Map ? [...networks] : Object.entries(networks)
  // Code without types may give something else for an agent, which must not cost the others: it is reported as broken.
  const objects = entries.map(([name, agent]): [string, AgentNetwork] => [name, Object(agent)])
  return new Map(objects.sort(([left], [right]) => (left < right ? -1 : 1)))
}
