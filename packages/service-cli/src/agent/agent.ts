import type { AgenticService, Principal, Progress } from "@x/agentic-service"
import type { ContextEntry, ContextNote, ContextQuery } from "../context/context-store.js"
import type { SetUp, SetUpOptions } from "./settings.js"

/** An agent: a service like any other, plus how to run it. Created by {@link defineAgent}. */
export interface Agent extends AgenticService {
  /** The version, as `--version` and MCP clients show it. */
  readonly version: string
  /** Whether it may be served; see {@link AgentDefinition.mcpSupported}. */
  readonly mcpSupported: boolean
  /** The key and tool name of the action behind its `execute`. */
  readonly primary: string
  /** The descriptions of settings that flags can set, by name; `undefined` if it has no settings. */
  readonly settings: Readonly<Record<string, string>> | undefined
  /**
   * Reads the configuration of this agent and all linked agents, replacing any earlier one. `start` reads the file and the
   * environment itself if this was not called.
   *
   * @throws CliError `invalid_config` if a setting is missing or invalid.
   */
  configure(options?: SetUpOptions): Promise<void>
  /** Starts its services unless they are running. A call does so, too. Rejects if one cannot be started; you may try again. */
  start(): Promise<void>
  /**
   * Stops its services, last started first, then those of the agents it links to. Idempotent. A later call starts them again.
   */
  stop(): Promise<void>
}

/** Whether a service is an agent. */
export function isAgent(service: AgenticService): service is Agent {
  return "primary" in service && "stop" in service && typeof service.stop === "function"
}

/** The context of an agent's call. */
export interface AgentContext<
  Options = Readonly<Record<string, unknown>>,
  Services = Readonly<Record<string, unknown>>,
  Config = Readonly<Record<string, unknown>>,
> {
  /** The text input: `context` over MCP, `--context` or standard input on the command line; empty if absent. */
  readonly input: string
  /** The options with defaults filled in; in a further tool, the tool's input. */
  readonly options: Options
  /** The handles of its services. */
  readonly services: Services
  /**
   * The settings, the same for all calls. Secret ones can be read by name, but are not enumerable, so no copy contains them.
   */
  readonly config: Config
  /** The environment variables named in its definition. */
  readonly environment: SetUp["environment"]
  /** Aborts when the caller gives up or the time is up. */
  readonly signal: AbortSignal
  /** The caller, if known. */
  readonly principal?: Principal
  /** Reports progress. Callers that want no progress do not get it. */
  progress(progress: Progress | string): void
  /**
   * Runs a linked agent, or an action of another linked service, and resolves with its result.
   *
   * @param target - One of {@link AgentDefinition.agents}, or its name.
   * @param input - The text, or an input object.
   * @throws ServiceError if the action fails, the target is not linked, the chain of agents is too deep or cyclic, or the time
   * is up. If you do not catch it, it becomes this agent's failure.
   */
  invoke(target: AgenticService | string, input?: string | object, options?: InvokeOptions): Promise<unknown>
  /**
   * Writes a note for this call's principal, who can find it in later calls, including those of other processes. Other
   * principals cannot find it. Once this resolves, only newer notes beyond the limits remove it.
   *
   * @throws ServiceError `invalid_input` if the note is too large. If the file cannot be used, the error is only logged, and
   * the caller gets an id.
   */
  writeContext(note: ContextNote | string): Promise<ContextEntry>
  /**
   * Finds notes of this call's principal, best match first; without words, newest first.
   *
   * @throws ServiceError `invalid_input` for an invalid limit. If the file cannot be used, the error is only logged, and the
   * caller gets an id.
   */
  searchContext(query?: ContextQuery | string): Promise<readonly ContextEntry[]>
}

/** Options of `invoke`. */
export interface InvokeOptions {
  /** The action to run. Default: the agent's own action, or the only action of another service. */
  readonly action?: string
  /** How long it may take, in milliseconds. Default: the agent's limit. */
  readonly timeoutMs?: number
}
