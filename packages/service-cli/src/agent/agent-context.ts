import type { AgenticService, Principal, Progress } from "@x/agentic-service"

/** What an agent gets to do its work with. */
export interface AgentContext<
  Options = Readonly<Record<string, unknown>>,
  Services = Readonly<Record<string, unknown>>,
> {
  /** The text it is given: `context` over MCP, `--context` or standard input on the command line; empty where there is none. */
  readonly input: string
  /** Its options, with their defaults filled in; in a further tool, the tool's input. */
  readonly options: Options
  /** What its services handed out when they were started. */
  readonly services: Services
  /** Aborts when the caller has lost interest, or the time is up. */
  readonly signal: AbortSignal
  /** Who calls, where that is known. */
  readonly principal?: Principal
  /** Says what is happening, or how far it is; ignored where nobody listens. */
  progress(progress: Progress | string): void
  /**
   * Runs a linked agent, or an action of another linked service, and hands out its result.
   *
   * @param target - One of {@link AgentDefinition.agents}, or its name.
   * @param input - Its text, or its input as an object.
   * @throws ServiceError when it fails or is not linked, when the chain of agents is too deep or comes back to one that is in
   * it already, or when it takes too long; as any other, it becomes this agent's failure where it is not caught.
   */
  invoke(target: AgenticService | string, input?: string | object, options?: InvokeOptions): Promise<unknown>
}

/** How something is invoked. */
export interface InvokeOptions {
  /** The action to run. Default: the agent's own; of a service that is no agent its only action. */
  readonly action?: string
  /** How long it may take, in milliseconds. Default: as the agent's limits say. */
  readonly timeout?: number
}
