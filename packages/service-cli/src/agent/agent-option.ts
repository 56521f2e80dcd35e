/** An input of an agent beside the text: the JSON Schema of one value, whose `default` is filled in. */
export interface AgentOption {
  /** The JSON type. */
  readonly type: "string" | "number" | "integer" | "boolean" | "array" | "object"
  /** Describes it to models and people. */
  readonly description?: string
  /** The accepted values. Default: any of its type. */
  readonly enum?: readonly (string | number)[]
  /** The value if none is given. */
  readonly default?: unknown
  /** Any other keyword of JSON Schema. */
  readonly [keyword: string]: unknown
}

/** Options by name. */
export type AgentOptions = Readonly<Record<string, AgentOption>>

/** The values of options. Options with a `default` and required ones always have a value; others may be absent. */
export type OptionValues<Options extends AgentOptions, Required extends string = never> = {
  readonly [Name in keyof Options]:
    | OptionValue<Options[Name]>
    | (Name extends Required ? never : Options[Name] extends Defaulted ? never : undefined)
}

/** An option with a default. */
export interface Defaulted {
  /** The default value. */
  readonly default: unknown
}

/** One option's value type, from `enum` or `type`. */
export type OptionValue<Option extends AgentOption> =
  Option extends Chosen<infer Choice> ? Choice : ValuesByType[Option["type"]]

/** An option with a few accepted values. */
export interface Chosen<Choice> {
  /** The accepted values. */
  readonly enum: readonly Choice[]
}

/** The TypeScript type of each JSON type. */
export interface ValuesByType {
  /** Text. */
  readonly string: string
  /** A number. */
  readonly number: number
  /** A whole number. */
  readonly integer: number
  /** A boolean. */
  readonly boolean: boolean
  /** A list. */
  readonly array: readonly unknown[]
  /** An object. */
  readonly object: Readonly<Record<string, unknown>>
}

/** Returns the given values of options, with defaults filled in. */
export function toOptionValues(
  options: AgentOptions,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(options).map(([name, { default: fallback }]) => [
    name,
    Object.hasOwn(input, name) ? input[name] : fallback,
  ])
  return Object.fromEntries(entries)
}
