import type { AgenticService, AuthoredJsonSchema, Failed } from "@x/agentic-service"
import type { AgentContext } from "./agent-context.js"
import type { AgentOptions, OptionValues } from "./agent-option.js"
import type { AgentServices } from "./agent-service.js"

/** An agent as its author writes it: one file, one object. */
export interface AgentDefinition<
  Options extends AgentOptions = Readonly<Record<never, never>>,
  Handles = Readonly<Record<string, unknown>>,
  Required extends string = never,
> {
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
  readonly tools?: readonly AgentTool<NoInfer<Handles>>[]
  /**
   * Agents and other services that it may invoke, by the name of the link. They can be called through it, too. A function
   * stands for one that is defined later.
   */
  readonly agents?: Readonly<Record<string, LinkedAgent>>
  /** What it needs to run, by name: started once, before the first call, and kept until the agent is stopped. */
  readonly services?: AgentServices<Handles>
  /** Whether `--mcp` and `--http` serve it; otherwise they are invalid usage. Default `true`. */
  readonly mcpSupported?: boolean
  /** How long a call may run, in milliseconds, before it is told to stop. Default: as the adapter's limits say. */
  readonly timeout?: number
  /** Bounds on {@link AgentContext.invoke}. */
  readonly invoke?: Partial<InvokeLimits>
  // A method, because only methods may take less than they are declared to.
  /** Does the work. */
  execute(context: AgentContext<OptionValues<Options, Required>, NoInfer<Handles>>): AgentReturn
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
export interface AgentTool<Handles = Readonly<Record<string, unknown>>> {
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
    context: AgentContext<Readonly<Record<string, unknown>>, Handles>,
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
  readonly timeout: number
}
