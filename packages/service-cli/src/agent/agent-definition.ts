import type { AgenticService, AuthoredJsonSchema, Failed, Hints, InputOf } from "@x/agentic-service"
import type { ContextLimits } from "../context/context-store.js"
import type { AgentContext } from "./agent.js"
import type { AgentOptions, OptionValues } from "./agent-option.js"
import type { AgentSettings, SettingValues, SetUp } from "./settings.js"

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
  /** How long it may be silent once it has reported progress, in milliseconds. Default: with a `timeoutMs` as long as that. */
  readonly idleMs?: number
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
