import type { AgenticService } from "@x/agentic-service"

/** An agent: a service like any other, and how it is run. Made by {@link defineAgent}. */
export interface Agent extends AgenticService {
  /** Its version, as `--version` and MCP clients see it. */
  readonly version: string
  /** Whether it may be served; see {@link AgentDefinition.mcpSupported}. */
  readonly mcpSupported: boolean
  /** The key and tool name of the action that its `execute` is. */
  readonly primary: string
  /** Starts its services, unless they are; a call does so, too. Rejects when one cannot be started, and may be tried again. */
  start(): Promise<void>
  /** Stops its services, the last started first, then those of the agents it links to. Idempotent; a call starts them again. */
  stop(): Promise<void>
}

/** Tells an agent from any other service. */
export function isAgent(service: AgenticService): service is Agent {
  return "primary" in service && "stop" in service && typeof service.stop === "function"
}
