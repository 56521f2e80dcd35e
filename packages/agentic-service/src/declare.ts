import { createCollection } from "./create-collection.js"
import type { ExecuteContext, Questions } from "./execute-context.js"
import type { AnySchema, InputOf, SchemaInlineOrAsConst, ValueOf } from "./infer.js"
import type { Content, Failed } from "./outcome.js"
import type { AgenticService, Hints, LongWork } from "./service.js"
import type { Source, When } from "./sources/source.js"

/** Properties of an action that never depend on its input or output. */
export interface DescribedAction extends Hints {
  /** A short name for people. */
  readonly title?: string
  /** The action's effect, which helps models choose. */
  readonly description: string
  /** The action is callable only while this holds. Default: always. */
  readonly when?: When
  /**
   * The published name instead of one made from path and key: a letter or `_`, then at most 63 letters, digits, `_` or `-`;
   * unique across the graph. An adapter leaves out an action whose name is taken.
   */
  readonly toolName?: string
  /** Milliseconds that the action may run before `context.signal` tells it to stop. Default: the caller decides. */
  readonly timeoutMs?: number
  /**
   * Milliseconds that the action may be silent after it has reported progress, before it is told to stop. Default: `timeoutMs`
   * if given, else the caller decides.
   */
  readonly idleMs?: number
  /**
   * Whether the work may outlast the caller's request, such as an export of ten minutes. The caller is then given a handle
   * while the work continues, and fetches the result later. Without its own `timeoutMs` and `idleMs`, only its time to live
   * limits it. `true` leaves that time to the caller. Default: the caller waits.
   */
  readonly long?: true | LongWork
}

/** Options of {@link action}. `Input` and `Output` are schemas, or `undefined` without one. */
export interface ActionOptions<Input, Output> extends DescribedAction {
  /**
   * The input's schema. Input is checked once, before anything runs; a JSON Schema fills in no defaults. Default: no input;
   * calls must pass nothing or an empty object.
   */
  readonly input?: Input
  /**
   * The schema of a successful value. A value that does not match is answered `invalid_output`. Default: anything but text,
   * unchecked.
   */
  readonly output?: Output
  /** Returns a question that a person must accept before the action runs. */
  readonly confirm?: (input: InputOf<Input>) => string
  /** Returns questions whose answers the action needs; they arrive as `context.answers`, by question key. */
  readonly ask?: (input: InputOf<Input>) => Questions
  /**
   * Does the work, on checked input. Returns a value, nothing, `fail(…)` or `content(…)`, or a promise. A thrown `ServiceError`
   * is shown to the caller; any other thrown value is only reported.
   */
  readonly execute: (input: InputOf<Input>, context: ExecuteContext) => Returned<Output> | PromiseLike<Returned<Output>>
}

/** The return type of `execute`, direct or as a promise. */
export type Returned<Output> = Output extends AnySchema ? Result<ValueOf<Output>> : NoStreamAndTextOnlyWithOutput

/** The return type of an action with an `output`: its value, optional blocks, or a failure. */
export type Result<Value> = Value | Content<Value> | Failed

/**
 * The return type of an action without an `output`: nothing, or anything but a bare string, which looks like an error message,
 * or a stream, which nobody could read. Declare `output: { type: "string" }` to return text. The compiler prints the name of
 * this type, so the name says what to do.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is the common case here.
export type NoStreamAndTextOnlyWithOutput = void | undefined | null | boolean | number | bigint | (object & NoStream)

/** Keeps a promise of text, an observable or an iterator from passing as an object. */
export interface NoStream {
  /** A member of promises only. */
  readonly then?: never
  /** A member of observables and stores only. */
  readonly subscribe?: never
  /** A member of async iterables only. */
  readonly [Symbol.asyncIterator]?: never
  /** A member of iterators only. */
  readonly next?: never
}

/**
 * The options of a member where its declaration belongs: none of them may be there. Without these, the compiler would complain
 * about the first option instead of the missing call.
 */
export type OptionsOutside<Key extends PropertyKey, Missing> = { readonly [Each in Key]?: Missing }

/** Says that a member lacks the call that declares it. The compiler prints the name of this type. */
export interface WrapInAction {
  /** The missing call. */
  readonly missing: "action({ … }) around these options"
}

/** Says that a member lacks the call that declares it. The compiler prints the name of this type. */
export interface WrapInState {
  /** The missing call. */
  readonly missing: "state({ … }) around these options"
}

/** Says that a member lacks the call that declares it. The compiler prints the name of this type. */
export interface WrapInLink {
  /** The missing call. */
  readonly missing: "link({ … }) or links({ … }) around these options"
}

/** An action for {@link createAgenticService}. Created by {@link action}. */
export interface ActionDeclaration extends OptionsOutside<keyof CheckedActionOptions, WrapInAction> {
  /** The discriminant. */
  readonly kind: "action"
  /** The options given to {@link action}. */
  readonly options: CheckedActionOptions
}

/**
 * Options of an action after type checking: its functions receive the results of its own check. They are methods, because only
 * methods may narrow `unknown` here.
 */
export interface CheckedActionOptions extends DescribedAction {
  /** The input's schema, if any. */
  readonly input?: AnySchema | undefined
  /** The output's schema, if any. */
  readonly output?: AnySchema | undefined
  /** See {@link ActionOptions.confirm}. */
  confirm?(input: unknown): string
  /** See {@link ActionOptions.ask}. */
  ask?(input: unknown): Questions
  /** See {@link ActionOptions.execute}. */
  execute(input: unknown, context: ExecuteContext): unknown
}

/**
 * Declares an action that an agent may call. The schemas determine the types of `execute`.
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
  const Input extends SchemaInlineOrAsConst | undefined = undefined,
  const Output extends SchemaInlineOrAsConst | undefined = undefined,
>(options: ActionOptions<Input, Output>): ActionDeclaration {
  return { kind: "action", options }
}

/** Options of {@link state}: a schema, or a media type for text and bytes in another format, or both. */
export interface StateOptions<Schema, MediaType> {
  /** The state's meaning, for an agent. */
  readonly description?: string
  /** The state is visible only while this holds. Default: always. */
  readonly when?: When
  /** The schema of its values. Published, and the type of `value`; values are not checked. */
  readonly schema?: Schema
  /** The media type of a value other than JSON, such as `text/markdown` or `image/png`. */
  readonly mediaType?: MediaType
  /** The source of its values. The state appears with the first value. */
  readonly value: Source<StateValue<Schema, MediaType>>
}

/** The type of a state's values. */
export type StateValue<Schema, MediaType> = Schema extends AnySchema
  ? ValueOf<Schema>
  : MediaType extends string
    ? string | Uint8Array | ArrayBuffer
    : NeedsSchemaOrMediaType

/** The type of no value, for a state without a schema or media type. */
export interface NeedsSchemaOrMediaType {
  /** The missing property. */
  readonly missing: "schema, or mediaType for text and bytes"
}

/** A state for {@link createAgenticService}. Created by {@link state}. */
export interface StateDeclaration extends OptionsOutside<keyof CheckedStateOptions, WrapInState> {
  /** The discriminant. */
  readonly kind: "state"
  /** The options given to {@link state}. */
  readonly options: CheckedStateOptions
}

/** Options of a state after type checking. */
export interface CheckedStateOptions extends Omit<StateOptions<AnySchema | undefined, string | undefined>, "value"> {
  /** The source of its values. */
  readonly value: Source<unknown>
}

/**
 * Declares a state that an agent may see: a changing value, and its schema.
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
  const Schema extends SchemaInlineOrAsConst | undefined = undefined,
  const MediaType extends string | undefined = undefined,
>(options: StateOptions<Schema, MediaType>): StateDeclaration {
  return { kind: "state", options }
}

/** Options of a single link. */
export interface LinkOptions {
  /** The reason why agents would follow the link. */
  readonly description?: string
  /** The linked service. The link disappears while it is `null` or `undefined`. */
  readonly service: Source<AgenticService | null | undefined>
  /** The link is reachable only while this holds. Default: always. */
  readonly when?: When
}

/** A link for {@link createAgenticService}. Created by {@link link} and {@link links}. */
export interface LinkDeclaration extends OptionsOutside<keyof (LinkOptions & LinksOptions<unknown>), WrapInLink> {
  /** The discriminant. */
  readonly kind: "link"
  /** The options given to {@link link}. With {@link links}, the service is created once its key is known. */
  readonly options: LinkOptions | LazyLinkOptions
}

/** Options of a link whose service is named after its declared key. */
export interface LazyLinkOptions extends Omit<LinkOptions, "service"> {
  /** Creates the linked service, once. */
  readonly createService: (key: string) => AgenticService
}

/**
 * Declares a service that an agent may reach. Whoever created the service also closes it.
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

/** Options of a family of links. */
export interface LinksOptions<Item> {
  /** The family's description, such as `"one per column"`. */
  readonly description?: string
  /** The items, with one link each. */
  readonly of: Source<readonly Item[]>
  /** Returns a link's key, unique among the items. Of two items with one key, the first is kept and the other is reported. */
  readonly key: (item: Item) => string
  /**
   * Creates an item's service: once when its key appears, and not again while the key stays, even if the item is a new object.
   * Let the service read changing data from a source. The service is dropped, not closed, when its key disappears. The same
   * object under another key takes its service along, so base `key` on something permanent such as an id.
   */
  readonly service: (item: Item) => AgenticService
  /** The whole family is reachable only while this holds. Default: always. */
  readonly when?: When
}

/**
 * Declares one service per item. A further service groups them under the family's key: column `c1` of `columns` is at
 * `columns/c1`.
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
