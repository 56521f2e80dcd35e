import type { ExecuteContext, Questions } from "./execute-context.js"
import type { AnySchema, InputOf, ValueOf } from "./infer.js"
import { createCollection } from "./maps/collection.js"
import type { Content, Failed } from "./outcome.js"
import type { AgenticService, Hints } from "./service.js"
import type { Source, When } from "./sources/source.js"

/** What an action says about itself, whatever it takes and returns. */
export interface DescribedAction extends Hints {
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
  /**
   * How long it may be silent once it has reported progress, in milliseconds, before it is told to stop. Default: with a
   * `timeoutMs` as long as that, else as whoever calls decides.
   */
  readonly idleMs?: number
}

/** What {@link action} is given. `Input` and `Output` are schemas, or `undefined` where there is none. */
export interface ActionOptions<Input, Output> extends DescribedAction {
  /**
   * What it takes. Checked once, before anything runs; a JSON Schema fills in no defaults. Default: nothing; a call with
   * anything but nothing or an empty object is refused.
   */
  readonly input?: Input
  /** What a success returns. Checked; what does not fit is answered `invalid_output`. Default: anything but text, unchecked. */
  readonly output?: Output
  /** Asks a person to accept before the action runs: the question, as a function of the checked input. */
  readonly confirm?: (input: InputOf<Input>) => string
  /** Asks a person for what the action needs; the answers come as `context.answers`, by question key. */
  readonly ask?: (input: InputOf<Input>) => Questions
  /**
   * Does the work, on checked input. Returns a value, nothing, `fail(…)` or `content(…)`, or a promise of one.
   * A thrown `ServiceError` is shown to the caller; anything else that is thrown is only reported.
   */
  readonly execute: (input: InputOf<Input>, context: ExecuteContext) => Returned<Output> | PromiseLike<Returned<Output>>
}

/** What `execute` returns, now or as a promise. */
export type Returned<Output> = Output extends AnySchema ? Result<ValueOf<Output>> : NoTextNorStream

/** What an action with an `output` returns: its value, with or without blocks, or a failure. */
export type Result<Value> = Value | Content<Value> | Failed

/**
 * What an action without an `output` may return: nothing, or anything but a bare string, which nobody could tell from an error
 * message, and but an observable or a generator, which nobody could read. Declare `output: { type: "string" }` to return text.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is the common case here.
export type NoTextNorStream = void | undefined | null | boolean | number | bigint | (object & NoStream)

/** Keeps a promise of text, an observable or an iterator from passing as an object. */
export interface NoStream {
  /** Only a promise has it. */
  readonly then?: never
  /** Only an observable or a store has it. */
  readonly subscribe?: never
  /** Only what is iterated asynchronously has it. */
  readonly [Symbol.asyncIterator]?: never
  /** Only an iterator has it. */
  readonly next?: never
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
export interface CheckedActionOptions extends DescribedAction {
  /** What it takes, if anything. */
  readonly input?: AnySchema | undefined
  /** What it promises to return, if anything. */
  readonly output?: AnySchema | undefined
  /** See {@link ActionOptions.confirm}. */
  confirm?(input: unknown): string
  /** See {@link ActionOptions.ask}. */
  ask?(input: unknown): Questions
  /** See {@link ActionOptions.execute}. */
  execute(input: unknown, context: ExecuteContext): unknown
}

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
export function action<
  const Input extends AnySchema | undefined = undefined,
  const Output extends AnySchema | undefined = undefined,
>(options: ActionOptions<Input, Output>): ActionDeclaration {
  return { kind: "action", options }
}

/** What {@link state} is given: a schema, or a media type for text and bytes in a format of its own, or both. */
export interface StateOptions<Schema, MediaType> {
  /** What the state tells an agent. */
  readonly description?: string
  /** The state is visible only while this holds. Default: always. */
  readonly when?: When
  /** What its values look like. Published, and the type of `value`; values are not checked. */
  readonly schema?: Schema
  /** Media type of the value where it is not JSON, such as `text/markdown` or `image/png`. */
  readonly mediaType?: MediaType
  /** Where its values come from; it is not visible before the first. */
  readonly value: Source<StateValue<Schema, MediaType>>
}

/** What the values of a state are. */
export type StateValue<Schema, MediaType> = Schema extends AnySchema
  ? ValueOf<Schema>
  : MediaType extends string
    ? string | Uint8Array | ArrayBuffer
    : NeedsSchemaOrMediaType

/** What no value is: the state says neither what its values look like nor what their format is. */
export interface NeedsSchemaOrMediaType {
  /** What is missing. */
  readonly missing: "schema, or mediaType for text and bytes"
}

/** A state as {@link createAgenticService} takes it. Made by {@link state}. */
export interface StateDeclaration {
  /** Tells declarations apart. */
  readonly kind: "state"
  /** What {@link state} was given. */
  readonly options: CheckedStateOptions
}

/** A state whose types have done their work. */
export interface CheckedStateOptions extends Omit<StateOptions<AnySchema | undefined, string | undefined>, "value"> {
  /** Where its values come from. */
  readonly value: Source<unknown>
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
export function state<
  const Schema extends AnySchema | undefined = undefined,
  const MediaType extends string | undefined = undefined,
>(options: StateOptions<Schema, MediaType>): StateDeclaration {
  return { kind: "state", options }
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
   * object. Let the service read what changes from a source. It is forgotten, not closed, when its key goes. An item that is
   * emitted under another key, as the same object, takes its service along: give `key` what stays with an item, such as an id.
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
