import type { AgenticService, Principal, Progress } from "@x/agentic-service"
import type { ContextEntry, ContextNote, ContextQuery } from "../context/context-store.js"
import type { SetUp, SetUpOptions } from "./settings.js"

/** An agent: a service like any other, and how it is run. Made by {@link defineAgent}. */
export interface Agent extends AgenticService {
  /** Its version, as `--version` and MCP clients see it. */
  readonly version: string
  /** Whether it may be served; see {@link AgentDefinition.mcpSupported}. */
  readonly mcpSupported: boolean
  /** The key and tool name of the action that its `execute` is. */
  readonly primary: string
  /** Its settings that flags can set, by name, each with what it is for; `undefined` where it has none of any kind. */
  readonly settings: Readonly<Record<string, string>> | undefined
  /**
   * Reads what it is set up with, and has the agents it links to read theirs; in place of what was read before. Starting does
   * so, too, from the file and the environment alone.
   *
   * @throws CliError `invalid_config` when a setting is missing, or not what it has to be.
   */
  configure(options?: SetUpOptions): Promise<void>
  /** Starts its services, unless they are; a call does so, too. Rejects when one cannot be started, and may be tried again. */
  start(): Promise<void>
  /** Stops its services, the last started first, then those of the agents it links to. Idempotent; a call starts them again. */
  stop(): Promise<void>
}

/** Tells an agent from any other service. */
export function isAgent(service: AgenticService): service is Agent {
  return "primary" in service && "stop" in service && typeof service.stop === "function"
}

/** What an agent gets to do its work with. */
export interface AgentContext<
  Options = Readonly<Record<string, unknown>>,
  Services = Readonly<Record<string, unknown>>,
  Config = Readonly<Record<string, unknown>>,
> {
  /** The text it is given: `context` over MCP, `--context` or standard input on the command line; empty where there is none. */
  readonly input: string
  /** Its options, with their defaults filled in; in a further tool, the tool's input. */
  readonly options: Options
  /** What its services handed out when they were started. */
  readonly services: Services
  /** What it is set up with, the same for all calls; what is secret is there by name only, and in no copy. */
  readonly config: Config
  /** The environment variables that it names in its definition, and no others. */
  readonly environment: SetUp["environment"]
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
  /**
   * Writes a note down for whoever calls, to be found in a later call, also by another process; nobody else finds it. Once
   * this resolves, nothing takes it away but newer notes, where there are too many.
   *
   * @throws ServiceError `invalid_input` when it is too large; an error that is only reported when the file cannot be used.
   */
  writeContext(note: ContextNote | string): Promise<ContextEntry>
  /**
   * Finds notes that were written for whoever calls, the best first; without words the newest.
   *
   * @throws ServiceError `invalid_input` for a limit that cannot be; an error that is only reported when the file cannot be used.
   */
  searchContext(query?: ContextQuery | string): Promise<readonly ContextEntry[]>
}

/** How something is invoked. */
export interface InvokeOptions {
  /** The action to run. Default: the agent's own; of a service that is no agent its only action. */
  readonly action?: string
  /** How long it may take, in milliseconds. Default: as the agent's limits say. */
  readonly timeoutMs?: number
}
