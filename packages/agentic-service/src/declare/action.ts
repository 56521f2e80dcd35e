import type { ExecuteContext, Questions } from "../execute-context.js"
import type { AnySchema, InputOf, ValueOf } from "../infer.js"
import type { When } from "../maps/when.js"
import type { Hints } from "../service.js"
import type { Result, UntypedResult } from "./result.js"

/** What every action says about itself, whatever it takes and returns. */
export interface ActionOptions<Input, Returned> extends Hints {
  /** A short name for people. */
  readonly title?: string
  /** What the action does, for the model that chooses it. */
  readonly description: string
  /** The action is callable only while this holds. Default: always. */
  readonly when?: When
  /**
   * A name to publish instead of the one made from path and key: a letter or `_`, then at most 63 letters, digits, `_` or `-`;
   * unique across the graph. An adapter leaves the action out where it is not.
   */
  readonly toolName?: string
  /** How long it may run, in milliseconds, before it is told to stop through `context.signal`. Default: as whoever calls decides. */
  readonly timeout?: number
  /** Asks a person to accept before the action runs: the question, as a function of the checked input. */
  readonly confirm?: (input: Input) => string
  /** Asks a person for what the action needs; the answers come as `context.answers`, by question key. */
  readonly ask?: (input: Input) => Questions
  /**
   * Does the work, on checked input. Returns a value, nothing, `fail(…)` or `content(…)`, or a promise of one.
   * A thrown `ServiceError` is shown to the caller; anything else that is thrown is only reported.
   */
  readonly execute: (input: Input, context: ExecuteContext) => Returned | PromiseLike<Returned>
}

/** An action that takes nothing and promises nothing. Its `execute` gets `undefined` first. */
export interface PlainActionOptions extends ActionOptions<undefined, UntypedResult> {
  /** Takes nothing; a call with anything but nothing or an empty object is refused. */
  readonly input?: undefined
  /** Whatever is returned is handed on unchecked. */
  readonly output?: undefined
}

/** An action that takes nothing and promises what it returns. */
export interface OutputActionOptions<Output> extends ActionOptions<undefined, Result<ValueOf<Output>>> {
  /** Takes nothing; a call with anything but nothing or an empty object is refused. */
  readonly input?: undefined
  /** What a success returns. Checked; what does not fit is answered `invalid_output`. */
  readonly output: Output
}

/** An action that takes an input and promises nothing. */
export interface InputActionOptions<Input> extends ActionOptions<InputOf<Input>, UntypedResult> {
  /** What it takes. Checked once, before anything runs; a JSON Schema fills in no defaults. */
  readonly input: Input
  /** Whatever is returned is handed on unchecked. */
  readonly output?: undefined
}

/** An action that takes an input and promises what it returns. */
export interface FullActionOptions<Input, Output> extends ActionOptions<InputOf<Input>, Result<ValueOf<Output>>> {
  /** What it takes. Checked once, before anything runs; a JSON Schema fills in no defaults. */
  readonly input: Input
  /** What a success returns. Checked; what does not fit is answered `invalid_output`. */
  readonly output: Output
}

/** An action as {@link createAgenticService} takes it. Made by {@link action}. */
export interface ActionDeclaration {
  /** Tells declarations apart. */
  readonly kind: "action"
  /** What {@link action} was given. */
  readonly options: CheckedActionOptions
}

/**
 * An action whose types have done their work: its functions get what its own check hands out. They are methods
 * because only methods may take less than `unknown` here.
 */
export interface CheckedActionOptions extends Omit<AnyActionOptions, "confirm" | "ask" | "execute"> {
  /** See {@link ActionOptions.confirm}. */
  confirm?(input: unknown): string
  /** See {@link ActionOptions.ask}. */
  ask?(input: unknown): Questions
  /** See {@link ActionOptions.execute}. */
  execute(input: unknown, context: ExecuteContext): unknown
}

/** An action of any input and output. */
export interface AnyActionOptions extends ActionOptions<never, unknown> {
  /** What it takes, if anything. */
  readonly input?: AnySchema | undefined
  /** What it promises to return, if anything. */
  readonly output?: AnySchema | undefined
}

// The fullest form comes twice. First, because it is the commonest and each form tried in vain costs the compiler as much
// again; last, because the compiler explains only why the last form did not fit.
/** Declares something an agent may do. The schemas give `execute` its types. */
export function action<const Input extends AnySchema, const Output extends AnySchema>(
  options: FullActionOptions<Input, Output>,
): ActionDeclaration
export function action(options: PlainActionOptions): ActionDeclaration
export function action<const Output extends AnySchema>(options: OutputActionOptions<Output>): ActionDeclaration
export function action<const Input extends AnySchema>(options: InputActionOptions<Input>): ActionDeclaration
export function action<const Input extends AnySchema, const Output extends AnySchema>(
  options: FullActionOptions<Input, Output>,
): ActionDeclaration
export function action(options: AnyActionOptions): ActionDeclaration {
  return { kind: "action", options }
}
