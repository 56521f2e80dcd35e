import { memberOf, toJson } from "@x/tool-schemas/json"
import type { Answers, ExecuteContext, Questions } from "./execute-context.js"

/**
 * What a call of any action comes back with: its outcome, or a question that has to be answered first. Only actions of
 * foreign services ask in the middle; those of `createAgenticService` declare their questions and come to an
 * {@link Outcome} at once.
 */
export type Reply<Value = unknown> = Outcome<Value> | Ask

/** What came of an action. A failure is data, not an exception. */
export type Outcome<Value = unknown> = Success<Value> | Failure

/** What came of an action somewhere else, in the words it has there. */
export interface Verbatim {
  /**
   * That the content is all there is to be shown, as it is: nobody makes a text of the value or of what happened, or checks
   * it. For services that stand for others, such as those of a foreign server.
   */
  readonly verbatim?: true
}

/** The action did what it was asked. */
export interface Success<Value = unknown> extends Verbatim {
  /** Tells the replies apart. */
  readonly ok: true
  /** What the action returned; absent when it returned nothing. */
  readonly value?: Value
  /** Content blocks beside the value: text, image, audio, link or embedded resource. */
  readonly content?: readonly Block[]
  /** What the author says to programs beside the result. */
  readonly meta?: Meta
}

/** The action did not, or could not, do what it was asked. */
export interface Failure extends Verbatim {
  /** Tells the replies apart. */
  readonly ok: false
  /** What happened, in words a model and a person can use. */
  readonly message: string
  /** A stable code: one of {@link ServiceErrorCode} or the author's own. */
  readonly code?: string
  /** What to do about it. */
  readonly recovery?: string
  /** Content blocks beside the message, such as a picture of what is wrong. */
  readonly content?: readonly Block[]
  /** How a protocol says it, where the action was refused over one; whoever speaks the same hands it on. */
  readonly refusal?: Refusal
  /** What happened as data, for programs; not checked against the action's `output`, which only a success promises. */
  readonly structured?: unknown
  /** What the author says to programs beside the result. */
  readonly meta?: Meta
}

/** An error as a protocol says it. */
export interface Refusal {
  /** Its code, such as a JSON-RPC error has it. */
  readonly code: number
  /** What goes with it. */
  readonly data?: unknown
}

/** What an author says to programs and not to the model: JSON by key. An adapter hands it on beside the result. */
export type Meta = Readonly<Record<string, unknown>>

/** An action of a foreign service has to know something from a person before it goes on. */
export interface Ask {
  /** Tells the replies apart: neither a success nor a failure. */
  readonly ok: "ask"
  /** What the person is asked. */
  readonly questions: Questions
  /**
   * Goes on: with the answers by question key, or with what the person did instead. To be called once; whoever cannot ask
   * anybody says `"cancelled"`, so that the action can give up. Never rejects, and may come back with another question.
   */
  resume(answers: Answers | "declined" | "cancelled", context: ExecuteContext): Promise<Reply>
}

// Registered, so that two copies of this package in one application understand each other.
const failed: unique symbol = Symbol.for("@x/agentic-service/failed")

/** A failure as an action returns it. Only {@link fail} makes one: a value that merely looks like it stays a value. */
export interface Failed extends Failure {
  /** Marks what {@link fail} made. */
  readonly [failed]: true
}

/** What a failure may carry beside its message. */
export interface FailOptions extends Omit<Failure, "ok" | "message" | "verbatim" | "refusal"> {
  /** A stable code for programs; any string. Default `"action_failed"`. */
  readonly code?: string
}

/**
 * Makes the failure of an action that did not do what it was asked. To be returned, not thrown.
 *
 * @example
 * ```ts
 * import { action, fail } from "@x/agentic-service"
 *
 * const history: string[] = []
 * export const undo = action({
 *   description: "Take back the last change",
 *   execute: () => (history.pop() ? undefined : fail("nothing to undo", { recovery: "change something first" })),
 * })
 * ```
 */
export function fail(message: string, options: FailOptions = {}): Failed {
  return { [failed]: true, ...failure(message, options) }
}

/** Tells what {@link fail} made from every other value. */
export function isFailed(value: unknown): value is Failed {
  return memberOf(value, failed) === true
}

/** Makes the plain data of a failure. */
export function failure(message: string, options: FailOptions): Failure {
  const { code = "action_failed", recovery, content, structured, meta } = options
  return {
    ok: false,
    message: toWords(message),
    code,
    ...(recovery === undefined ? {} : { recovery }),
    ...(content === undefined ? {} : { content }),
    ...(structured === undefined ? {} : { structured }),
    ...(meta === undefined ? {} : { meta }),
  }
}

/** Reads the message of code without types: an error or a failure is told by its own, and what is missing says so. */
function toWords(message: unknown): string {
  if (typeof message === "string") return message
  const own = memberOf(message, "message")
  if (typeof own === "string") return own
  return message === undefined || message === null ? NO_WORDS : JSON.stringify(toJson(message))
}

const NO_WORDS = "the action failed"

// Registered, so that two copies of this package in one application understand each other.
const hasContent: unique symbol = Symbol.for("@x/agentic-service/content")

/** A value with blocks beside it, as an action returns it. Made by {@link content}. */
export interface Content<Value> {
  /** Marks what {@link content} made. */
  readonly [hasContent]: true
  /** The value; checked against the action's `output` like any other. */
  readonly value: Value
  /** What is shown beside it, in this order. */
  readonly blocks: readonly Block[]
  /** What is said to programs beside it. */
  readonly meta?: Meta
}

/**
 * Makes a result with blocks beside the value of an action; `content(undefined, blocks)` where there is no value. `meta` is
 * said to programs, not to the model.
 *
 * @example
 * ```ts
 * import { action, content } from "@x/agentic-service"
 *
 * export const plot = action({
 *   description: "Draw the month",
 *   output: { type: "object", properties: { days: { type: "integer" } }, required: ["days"] },
 *   execute: () => content({ days: 31 }, [{ type: "image", mimeType: "image/png", data: new Uint8Array([137, 80]) }]),
 * })
 * ```
 */
export function content<const Value>(
  value: Value,
  blocks: readonly Block[],
  { meta }: Pick<Success, "meta"> = {},
): Content<Value> {
  return { [hasContent]: true, value, blocks, ...(meta === undefined ? {} : { meta }) }
}

/** Tells what {@link content} made from every other value. */
export function isContent(value: unknown): value is Content<unknown> {
  return memberOf(value, hasContent) === true
}

/** Something an action hands to the model beside its value, in neutral types that every protocol can map. */
export type Block = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock

/** What any block may say about itself. */
export interface BlockNotes {
  /** For whom it is, how much it matters, when it was made: as MCP's annotations have it. */
  readonly annotations?: Meta
  /** What is said to programs about it. */
  readonly meta?: Meta
}

/** Plain text. */
export interface TextBlock extends BlockNotes {
  /** Tells the blocks apart. */
  readonly type: "text"
  /** The text; may be empty. */
  readonly text: string
}

/** An image. */
export interface ImageBlock extends BlockNotes {
  /** Tells the blocks apart. */
  readonly type: "image"
  /** The bytes, or the bytes in base64. */
  readonly data: Uint8Array | string
  /** Such as `image/png`. */
  readonly mimeType: string
}

/** A sound. */
export interface AudioBlock extends BlockNotes {
  /** Tells the blocks apart. */
  readonly type: "audio"
  /** The bytes, or the bytes in base64. */
  readonly data: Uint8Array | string
  /** Such as `audio/wav`. */
  readonly mimeType: string
}

/** A resource the model may read if it wants to. */
export interface ResourceLinkBlock extends BlockNotes {
  /** Tells the blocks apart. */
  readonly type: "resource_link"
  /** Where it is read. */
  readonly uri: string
  /** A short name. */
  readonly name: string
  /** A name for people. */
  readonly title?: string
  /** What is in it. */
  readonly description?: string
  /** Its media type, where known. */
  readonly mimeType?: string
  /** Its size in bytes, where known. */
  readonly size?: number
}

/** A resource handed over whole: text or bytes. */
export interface ResourceBlock extends BlockNotes {
  /** Tells the blocks apart. */
  readonly type: "resource"
  /** Names the resource. */
  readonly uri: string
  /** Its media type, where known. */
  readonly mimeType?: string
  /** Its text, where it is text. */
  readonly text?: string
  /** Its bytes, or the bytes in base64, where it is not text. */
  readonly blob?: Uint8Array | string
}
