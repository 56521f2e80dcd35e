import type {
  AgenticService,
  AuthoredJsonSchema,
  Failed,
  Hints,
  InputOf,
  Principal,
  Progress,
} from "@x/agentic-service"
import type { ContextEntry, ContextLimits, ContextNote, ContextQuery } from "../context/context-store.js"
import type { AgentOptions, OptionValues } from "./agent-option.js"
import type { AgentSettings, SettingValues, SetUp, SetUpOptions } from "./settings.js"

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

/** Something an agent needs to run: a connection, a child process, a container. */
export interface AgentService<Handle = unknown> {
  /**
   * Makes it ready, and hands out what the agent works with.
   *
   * @param setUp - What the agent is set up with. TypeScript needs its type said, for it looks at what is handed out first.
   */
  start(setUp: SetUp): Handle | PromiseLike<Handle>
  /** Lets go of it, and of all it holds. */
  stop?(handle: Handle): void | PromiseLike<void>
}

/** Services by name, each of which hands out what is named so in `Handles`. */
export type AgentServices<Handles> = { readonly [Name in keyof Handles]: AgentService<Handles[Name]> }

/** An agent as its author writes it: one file, one object. */
export interface AgentDefinition<
  Options extends AgentOptions = Readonly<Record<never, never>>,
  Handles = Readonly<Record<string, unknown>>,
  Required extends string = never,
  Settings extends AgentSettings = AgentSettings,
> extends Hints {
  /** Names the agent, its tool and its command: a letter or `_`, then at most 63 letters, digits, `_` or `-`. */
  readonly name: string
  /** Its version. Default `0.0.0`. */
  readonly version?: string
  /** What it does, for the model that chooses it and the person who runs it. */
  readonly description: string
  /** What the text it is given is, for the model. Default "Input context for the agent". */
  readonly contextDescription?: string
  /** What else it can be told, beside the text: parameters of its tool, flags of its command. */
  readonly options?: Options
  /** The options that must be given. Default: none. */
  readonly required?: readonly (Required & keyof Options)[]
  /** Further tools beside its own. */
  readonly tools?: readonly AgentTool<NoInfer<Handles>, SettingValues<NoInfer<Settings>>>[]
  /** Agents and other services that it may invoke, by name. A function stands for one that is defined later. */
  readonly agents?: Readonly<Record<string, LinkedAgent>>
  /** Which of `agents` can be called through it, too, as services it links to: all, or those named. Default: none. */
  readonly publishAgents?: boolean | readonly string[]
  /** What it is set up with, from a file, the environment and flags, the same for all calls. Default: nothing. */
  readonly config?: Settings
  /** The environment variables that `ctx.environment` has; it has no others. Default: none. */
  readonly environment?: readonly string[]
  /** Where its notes are, and how many. */
  readonly context?: AgentContextOptions
  /** What it needs to run, by name: started once, before the first call, and kept until the agent is stopped. */
  readonly services?: AgentServices<Handles>
  /** Whether `--mcp` and `--http` serve it; otherwise they are invalid usage. Default `true`. */
  readonly mcpSupported?: boolean
  /** How long a call may run, in milliseconds, before it is told to stop. Default: as the adapter's limits say. */
  readonly timeoutMs?: number
  /** Bounds on {@link AgentContext.invoke}. */
  readonly invoke?: Partial<InvokeLimits>
  // A method, because only methods may take less than they are declared to.
  /** Does the work. */
  execute(
    context: AgentContext<OptionValues<Options, Required>, NoInfer<Handles>, SettingValues<NoInfer<Settings>>>,
  ): AgentReturn
}

/** Where an agent's notes are, and how many; each limit has a default. */
export interface AgentContextOptions extends Partial<ContextLimits> {
  /** The file; agents may share one. Default: `context.db` in the agent's folder of the user's state. */
  readonly file?: string
}

/** An agent's definition once its types have done their work. */
export interface PlainDefinition extends Omit<AgentDefinition, "options" | "required" | "execute"> {
  /** See {@link AgentDefinition.options}. */
  readonly options?: AgentOptions
  /** See {@link AgentDefinition.required}. */
  readonly required?: readonly string[]
  /** See {@link AgentDefinition.execute}. */
  execute(context: AgentContext): AgentReturn
}

/** What an agent is linked to. */
export type LinkedAgent = AgenticService | (() => AgenticService)

/** A further tool of an agent. */
export interface AgentTool<Handles = Readonly<Record<string, unknown>>, Config = Readonly<Record<string, unknown>>>
  extends Hints {
  /** Names the tool and its command, as {@link AgentDefinition.name} does. */
  readonly name: string
  /** What it does, for the model that chooses it. */
  readonly description: string
  /** JSON Schema of its input. Default: it takes none. */
  readonly inputSchema?: AuthoredJsonSchema
  // A method, because `agentTool` makes handlers that take less than any input.
  /** Does the work, on checked input. */
  handler(
    input: Readonly<Record<string, unknown>>,
    context: AgentContext<Readonly<Record<string, unknown>>, Handles, Config>,
  ): AgentReturn
}

/** What a handler hands back, at once or as a promise. */
export type AgentReturn = AgentOutcome | PromiseLike<AgentOutcome>

/** A result, nothing, or what `fail(…)` makes. */
export type AgentOutcome = AgentResult | Failed | undefined

/** What an agent found. */
export interface AgentResult {
  /** Text, or anything that JSON can carry. */
  readonly result: unknown
}

/** Bounds on what an agent may invoke. */
export interface InvokeLimits {
  /** How many agents may be in a chain, the first included. Default 5. */
  readonly depth: number
  /** How long one that is invoked may take, in milliseconds. Default 60,000. */
  readonly timeoutMs: number
}

/** A further tool whose handler gets its input as the schema says. */
export interface TypedAgentTool<Schema extends AuthoredJsonSchema> extends Omit<AgentTool, "inputSchema" | "handler"> {
  /** JSON Schema of its input. */
  readonly inputSchema: Schema
  /** Does the work, on checked input. */
  handler(input: InputOf<Schema>, context: AgentContext): AgentReturn
}

/**
 * Declares a further tool of an agent, so that its schema gives `handler` its types; a plain object does, too, without.
 *
 * @example
 * ```ts
 * import { agentTool } from "@x/service-cli"
 *
 * const double = agentTool({
 *   name: "double",
 *   description: "Doubles a number",
 *   inputSchema: { type: "object", properties: { of: { type: "number" } }, required: ["of"] },
 *   handler: ({ of }) => ({ result: 2 * of }),
 * })
 * console.log(double.name) // double
 * ```
 */
export function agentTool<const Schema extends AuthoredJsonSchema>(tool: TypedAgentTool<Schema>): AgentTool
export function agentTool(tool: AgentTool): AgentTool {
  return tool
}
