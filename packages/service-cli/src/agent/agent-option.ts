/** Something an agent can be told beside the text: a JSON Schema of one value, whose `default` is filled in. */
export interface AgentOption {
  /** What it is. */
  readonly type: "string" | "number" | "integer" | "boolean" | "array" | "object"
  /** What it is for, for the model and the person. */
  readonly description?: string
  /** The values it may have. Default: any of its type. */
  readonly enum?: readonly (string | number)[]
  /** What it is where nothing is given. */
  readonly default?: unknown
  /** Any other keyword of JSON Schema. */
  readonly [keyword: string]: unknown
}

/** Options by name. */
export type AgentOptions = Readonly<Record<string, AgentOption>>

/** The values of options: one with a `default`, or one that is required, is always there, any other may be absent. */
export type OptionValues<Options extends AgentOptions, Required extends string = never> = {
  readonly [Name in keyof Options]:
    | OptionValue<Options[Name]>
    | (Name extends Required ? never : Options[Name] extends Defaulted ? never : undefined)
}

/** An option that has a value where nothing is given. */
export interface Defaulted {
  /** That value. */
  readonly default: unknown
}

/** The value of one option, as its `enum`, or else its `type` says. */
export type OptionValue<Option extends AgentOption> =
  Option extends Chosen<infer Choice> ? Choice : ValuesByType[Option["type"]]

/** An option that has one of a few values. */
export interface Chosen<Choice> {
  /** Those values. */
  readonly enum: readonly Choice[]
}

/** What a value of a type is. */
export interface ValuesByType {
  /** Text. */
  readonly string: string
  /** A number. */
  readonly number: number
  /** A whole number. */
  readonly integer: number
  /** Yes or no. */
  readonly boolean: boolean
  /** A list. */
  readonly array: readonly unknown[]
  /** An object. */
  readonly object: Readonly<Record<string, unknown>>
}

/** What was given for options, and the defaults of those that were not. */
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
