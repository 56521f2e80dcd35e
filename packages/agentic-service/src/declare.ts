import type { ExecuteContext, Questions } from "./execute-context.js"
import type { AnySchema, InputOf, ValueOf } from "./infer.js"
import { createCollection } from "./maps/collection.js"
import type { Content, Failed } from "./outcome.js"
import type { AgenticService, Hints } from "./service.js"
import type { Source, When } from "./sources/source.js"

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
  readonly timeoutMs?: number
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
/**
 * Declares something an agent may do. The schemas give `execute` its types.
 *
 * @example
 * ```ts
 * import { action } from "@x/agentic-service"
 *
 * const cards: string[] = []
 * export const add = action({
 *   description: "Add a card",
 *   input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
 *   output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
 *   execute: ({ title }) => ({ count: cards.push(title) }),
 * })
 * ```
 */
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

/** What an action with an `output` returns, now or as a promise: its value, with or without blocks, or a failure. */
export type Result<Value> = Value | Content<Value> | Failed

/**
 * What an action without an `output` may return: nothing, or anything but a bare string, which nobody
 * could tell from an error message. Declare `output: { type: "string" }` to return text.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is the common case here.
export type UntypedResult = void | undefined | null | boolean | number | bigint | (object & NoPromise)

/** Keeps a promise of text from passing as an object. */
export interface NoPromise {
  /** Only a promise has it. */
  readonly then?: never
}

/** What every state may say about itself. */
export interface StateOptions {
  /** What the state tells an agent. */
  readonly description?: string
  /** The state is visible only while this holds. Default: always. */
  readonly when?: When
}

/** A state of JSON values. */
export interface JsonStateOptions<Schema, Value> extends StateOptions {
  /** What its values look like. Published, and the type of `value`; values are not checked. */
  readonly schema: Schema
  /** Where its values come from; it is not visible before the first. */
  readonly value: Source<Value>
  /** Media type of the value where it is not JSON, such as `text/markdown`. */
  readonly mediaType?: string
}

/** A state of text or bytes in a format of its own. */
export interface MediaStateOptions extends StateOptions {
  /** Such as `text/markdown` or `image/png`. */
  readonly mediaType: string
  /** Text and bytes need no schema. */
  readonly schema?: undefined
  /** Where its values come from; it is not visible before the first. */
  readonly value: Source<string | Uint8Array | ArrayBuffer>
}

/** A state as {@link createAgenticService} takes it. Made by {@link state}. */
export interface StateDeclaration {
  /** Tells declarations apart. */
  readonly kind: "state"
  /** What {@link state} was given. */
  readonly options: JsonStateOptions<AnySchema | undefined, unknown>
}

/**
 * Declares something an agent may see: a value that moves, and the schema that says what it looks like.
 *
 * @example
 * ```ts
 * import { state } from "@x/agentic-service"
 * import { BehaviorSubject } from "rxjs"
 *
 * const cards = new BehaviorSubject(["Buy milk"])
 * export const all = state({
 *   description: "All cards",
 *   schema: { type: "array", items: { type: "string" } },
 *   value: cards,
 * })
 * export const help = state({ description: "How it works", mediaType: "text/markdown", value: "# Cards" })
 * ```
 */
export function state(options: MediaStateOptions): StateDeclaration
export function state<const Schema extends AnySchema>(
  options: JsonStateOptions<Schema, ValueOf<Schema>>,
): StateDeclaration
export function state(options: MediaStateOptions | JsonStateOptions<AnySchema, unknown>): StateDeclaration {
  return { kind: "state", options: { schema: undefined, ...options } }
}

/** What a link to one service says about itself. */
export interface LinkOptions {
  /** Why an agent would follow the link. */
  readonly description?: string
  /** The service at the other end; the link is not there while it is `null` or `undefined`. */
  readonly service: Source<AgenticService | null | undefined>
  /** The link is there only while this holds. Default: always. */
  readonly when?: When
}

/** A link as {@link createAgenticService} takes it. Made by {@link link} and {@link links}. */
export interface LinkDeclaration {
  /** Tells declarations apart. */
  readonly kind: "link"
  /** What {@link link} was given; from {@link links}, the service is made once the key is known. */
  readonly options: LinkOptions | LazyLinkOptions
}

/** A link whose service is named after the key it is declared under. */
export interface LazyLinkOptions extends Omit<LinkOptions, "service"> {
  /** Makes the service at the other end, once. */
  readonly createService: (key: string) => AgenticService
}

/**
 * Declares a service an agent may reach. Closing the service stays with whoever made it.
 *
 * @example
 * ```ts
 * import { type AgenticService, createAgenticService, link } from "@x/agentic-service"
 * import { BehaviorSubject } from "rxjs"
 *
 * const open = new BehaviorSubject<AgenticService | null>(null)
 * export const board = createAgenticService({
 *   name: "board",
 *   links: { open: link({ description: "The open card", service: open }) },
 * })
 * ```
 */
export function link(options: LinkOptions): LinkDeclaration {
  return { kind: "link", options }
}

/** What a family of links says about itself. */
export interface LinksOptions<Item> {
  /** What the family is, such as `"one per column"`. */
  readonly description?: string
  /** The items, one link each. */
  readonly of: Source<readonly Item[]>
  /** The link's key, unique among the items: of two items with one key the first is kept and the other reported. */
  readonly key: (item: Item) => string
  /**
   * Makes the item's service: once when its key appears, not again while the key stays, even if the item is a new
   * object. Let the service read what changes from a source. It is forgotten, not closed, when its key goes.
   */
  readonly service: (item: Item) => AgenticService
  /** The whole family is there only while this holds. Default: always. */
  readonly when?: When
}

/**
 * Declares one service per item. They are reached through a service of the family's own, under the
 * key it is declared with: column `c1` of `columns` is at `columns/c1`.
 *
 * @example
 * ```ts
 * import { createAgenticService, links } from "@x/agentic-service"
 * import { BehaviorSubject } from "rxjs"
 *
 * const columns = new BehaviorSubject([{ id: "todo" }, { id: "done" }])
 * export const board = createAgenticService({
 *   name: "board",
 *   links: {
 *     columns: links({
 *       description: "One per column",
 *       of: columns,
 *       key: ({ id }) => id,
 *       service: ({ id }) => createAgenticService({ name: id }),
 *     }),
 *   },
 * })
 * ```
 */
export function links<Item>(options: LinksOptions<Item>): LinkDeclaration {
  const { of, key, service, ...rest } = options
  return { kind: "link", options: { ...rest, createService: (name) => createCollection(name, { of, key, service }) } }
}
