import type { AgenticService, AuthoredJsonSchema, Failed, Hints, InputOf } from "@x/agentic-service"
import type { ContextLimits } from "../context/context-store.js"
import type { AgentContext } from "./agent.js"
import type { AgentOptions, OptionValues } from "./agent-option.js"
import type { AgentSettings, SettingValues, SetUp } from "./settings.js"

/** A resource that an agent needs, such as a connection, a child process or a container. */
export interface AgentService<Handle = unknown> {
  /**
   * Starts it, and returns the handle that the agent works with.
   *
   * @param setUp - The agent's configuration. Annotate its type: TypeScript infers the handle first.
   */
  start(setUp: SetUp): Handle | PromiseLike<Handle>
  /** Stops it and frees its resources. */
  stop?(handle: Handle): void | PromiseLike<void>
}

/** Services by name, with the type of each handle in `Handles`. */
export type AgentServices<Handles> = { readonly [Name in keyof Handles]: AgentService<Handles[Name]> }

/** An agent as its author defines it: one file, one object. */
export interface AgentDefinition<
  Options extends AgentOptions = Readonly<Record<never, never>>,
  Handles = Readonly<Record<string, unknown>>,
  Required extends string = never,
  Settings extends AgentSettings = AgentSettings,
> extends Hints {
  /** The name of the agent, its tool and its command: a letter or `_`, then at most 63 letters, digits, `_` or `-`. */
  readonly name: string
  /** The version. Default `0.0.0`. */
  readonly version?: string
  /** Describes the agent to models and to people at the command. */
  readonly description: string
  /** Describes its text input to the model. Default "Input context for the agent". */
  readonly contextDescription?: string
  /** Further inputs beside the text: parameters of its tool and flags of its command. */
  readonly options?: Options
  /** The names of required options. Default: none. */
  readonly required?: readonly (Required & keyof Options)[]
  /** Further tools beside its own. */
  readonly tools?: readonly AgentTool<NoInfer<Handles>, SettingValues<NoInfer<Settings>>>[]
  /** The agents and other services that it may invoke, by name. A function may return an agent that is defined later. */
  readonly agents?: Readonly<Record<string, LinkedAgent>>
  /** Which of `agents` are published as linked services: all, or those named. Default: none. */
  readonly publishAgents?: boolean | readonly string[]
  /** Settings from a file, the environment and flags, the same for all calls. Default: none. */
  readonly config?: Settings
  /** The environment variables in `ctx.environment`. Default: none. */
  readonly environment?: readonly string[]
  /** The file of its notes, and their limits. */
  readonly context?: AgentContextOptions
  /** Resources it needs, by name. They are started once, before the first call, and kept until the agent is stopped. */
  readonly services?: AgentServices<Handles>
  /** Whether `--mcp` and `--http` serve it; otherwise they are invalid usage. Default `true`. */
  readonly mcpSupported?: boolean
  /** How long a call may run before it is aborted, in milliseconds. Default: the adapter's limit. */
  readonly timeoutMs?: number
  /** How long a call may be silent after its first progress report, in milliseconds. Default: `timeoutMs`, if that is given. */
  readonly idleMs?: number
  /** Limits of {@link AgentContext.invoke}. */
  readonly invoke?: Partial<InvokeLimits>
  // A method, because only methods may accept narrower parameters than declared.
  /** Does the work. */
  execute(
    context: AgentContext<OptionValues<Options, Required>, NoInfer<Handles>, SettingValues<NoInfer<Settings>>>,
  ): AgentReturn
}

/** The file of an agent's notes, and their limits; all have defaults. */
export interface AgentContextOptions extends Partial<ContextLimits> {
  /** The file; agents may share one. Default: `context.db` in the agent's folder of the user's state. */
  readonly file?: string
}

/** An agent's definition without its type parameters. */
export interface PlainDefinition extends Omit<AgentDefinition, "options" | "required" | "execute"> {
  /** See {@link AgentDefinition.options}. */
  readonly options?: AgentOptions
  /** See {@link AgentDefinition.required}. */
  readonly required?: readonly string[]
  /** See {@link AgentDefinition.execute}. */
  execute(context: AgentContext): AgentReturn
}

/** A linked service, or a function returning it. */
export type LinkedAgent = AgenticService | (() => AgenticService)

/** A further tool of an agent. */
export interface AgentTool<Handles = Readonly<Record<string, unknown>>, Config = Readonly<Record<string, unknown>>>
  extends Hints {
  /** Names the tool and its command. See {@link AgentDefinition.name} for the rules. */
  readonly name: string
  /** Describes the tool to models. */
  readonly description: string
  /** The JSON Schema of its input. Default: no input. */
  readonly inputSchema?: AuthoredJsonSchema
  // A method, because handlers of `agentTool` accept only their own input.
  /** Does the work, with checked input. */
  handler(
    input: Readonly<Record<string, unknown>>,
    context: AgentContext<Readonly<Record<string, unknown>>, Handles, Config>,
  ): AgentReturn
}

/** A handler's return value, or its promise. */
export type AgentReturn = AgentOutcome | PromiseLike<AgentOutcome>

/** A result, `undefined`, or the value of `fail(…)`. */
export type AgentOutcome = AgentResult | Failed | undefined

/** The result of an agent. */
export interface AgentResult {
  /** Text, or any JSON value. */
  readonly result: unknown
}

/** Limits of `invoke`. */
export interface InvokeLimits {
  /** The most agents in a chain, including the first. Default 5. */
  readonly depth: number
  /** How long an invoked agent may take, in milliseconds. Default 60,000. */
  readonly timeoutMs: number
}

/** A further tool whose handler's input is typed by its schema. */
export interface TypedAgentTool<Schema extends AuthoredJsonSchema> extends Omit<AgentTool, "inputSchema" | "handler"> {
  /** The JSON Schema of its input. */
  readonly inputSchema: Schema
  /** Does the work, with checked input. */
  handler(input: InputOf<Schema>, context: AgentContext): AgentReturn
}

/**
 * Declares a further tool of an agent whose schema types the input of `handler`. A plain object works, too, without those
 * types.
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
