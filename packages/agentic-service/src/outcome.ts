import { memberOf, toJson } from "@x/base"
import type { Answers, ExecuteContext, Questions } from "./execute-context.js"

/**
 * The result of a call: its outcome, or a question to answer first. Only actions of foreign services ask while they run; those
 * of `createAgenticService` declare their questions and return an {@link Outcome} directly.
 */
export type Reply<Value = unknown> = Outcome<Value> | Ask

/** The outcome of an action. Failures are data, not exceptions. */
export type Outcome<Value = unknown> = Success<Value> | Failure

/** An outcome from elsewhere, in its original words. */
export interface Verbatim {
  /**
   * Marks content as final: no text is derived from the value or the message, and nothing is validated. Services that represent
   * others use it, such as those of a foreign server.
   */
  readonly verbatim?: true
}

/** A successful action's outcome. */
export interface Success<Value = unknown> extends Verbatim {
  /** The discriminant. */
  readonly ok: true
  /** The returned value. Absent without one. */
  readonly value?: Value
  /** Content blocks beside the value: text, image, audio, link or embedded resource. */
  readonly content?: readonly Block[]
  /** The author's metadata for programs. */
  readonly meta?: Meta
}

/** The outcome of an action that failed, or did not run. */
export interface Failure extends Verbatim {
  /** The discriminant. */
  readonly ok: false
  /** A message for models and people. */
  readonly message: string
  /** A stable code: one of {@link ServiceErrorCode} or the author's own. */
  readonly code?: string
  /** The caller's next step. */
  readonly recovery?: string
  /** Content blocks beside the message, such as a picture of the problem. */
  readonly content?: readonly Block[]
  /** The protocol error behind the failure, for adapters of the same protocol. */
  readonly refusal?: Refusal
  /** The failure as data, for programs. Not checked against the action's `output`, which only a success promises. */
  readonly structured?: unknown
  /** The author's metadata for programs. */
  readonly meta?: Meta
}

/** An error of a protocol. */
export interface Refusal {
  /** The code, such as a JSON-RPC error's. */
  readonly code: number
  /** Its data. */
  readonly data?: unknown
}

/** The author's metadata for programs, not for the model: JSON by key. An adapter forwards it beside the result. */
export type Meta = Readonly<Record<string, unknown>>

/** A question that a foreign service's action asks while it runs. */
export interface Ask {
  /** The discriminant: neither a success nor a failure. */
  readonly ok: "ask"
  /** Questions for the person. */
  readonly questions: Questions
  /**
   * Requests to the caller's client, under keys of their own. An adapter forwards them unchanged to a client that declared the
   * capability ({@link ExecuteContext.clientCapabilities}). Default: none.
   */
  readonly requests?: Readonly<Record<string, ClientRequest>>
  /**
   * Continues with the answers by question key, and each {@link ClientResponse} under its request's key, or with the person's
   * other reaction. Call it once. If nobody can be asked, pass `"cancelled"`, so that the action can stop. Never rejects, and
   * may return another question.
   */
  resume(answers: Answers | "declined" | "cancelled", context: ExecuteContext): Promise<Reply>
}

/** A foreign service's request to its caller's client, such as for its model or its folders. */
export interface ClientRequest {
  /** The method as in MCP: `sampling/createMessage`, `roots/list`, or `elicitation/create` of mode `url`. */
  readonly method: string
  /** Its parameters. */
  readonly params?: Meta
}

/** The client's response to a {@link ClientRequest}. */
export type ClientResponse =
  | {
      /** The client's result. */
      readonly result: Meta
    }
  | {
      /** The client's refusal or failure. */
      readonly error: {
        /** The JSON-RPC code. */
        readonly code: number
        /** The reason. */
        readonly message: string
      }
    }

// A registered symbol, so that two copies of this package in one application understand each other.
const failed: unique symbol = Symbol.for("@x/agentic-service/failed")

/** A failure as an action returns it. Only {@link fail} creates one: lookalikes stay plain values. */
export interface Failed extends Failure {
  /** The mark of {@link fail}. */
  readonly [failed]: true
}

/** Options of a failure. */
export interface FailOptions extends Omit<Failure, "ok" | "message" | "verbatim" | "refusal"> {
  /** A stable code for programs; any string. Default `"action_failed"`. */
  readonly code?: string
}

/**
 * Creates the failure of an action. Return it, do not throw it.
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

/** Checks for a failure of {@link fail}. */
export function isFailed(value: unknown): value is Failed {
  return memberOf(value, failed) === true
}

/** Creates a failure's plain data. */
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

/** Reads the message of untyped code: an error's or failure's own, or a default for a missing one. */
function toWords(message: unknown): string {
  if (typeof message === "string") return message
  const own = memberOf(message, "message")
  if (typeof own === "string") return own
  return message === undefined || message === null ? NO_WORDS : JSON.stringify(toJson(message))
}

const NO_WORDS = "the action failed"

// A registered symbol, so that two copies of this package in one application understand each other.
const hasContent: unique symbol = Symbol.for("@x/agentic-service/content")

/** A value with blocks beside it, as an action returns it. Created by {@link content}. */
export interface Content<Value> {
  /** The mark of {@link content}. */
  readonly [hasContent]: true
  /** The value; checked against the action's `output` as usual. */
  readonly value: Value
  /** Blocks to show beside it, in this order. */
  readonly blocks: readonly Block[]
  /** Metadata for programs. */
  readonly meta?: Meta
}

/**
 * Creates a result with blocks beside an action's value; use `content(undefined, blocks)` without a value. `meta` is for
 * programs, not for the model.
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

/** Checks for a result of {@link content}. */
export function isContent(value: unknown): value is Content<unknown> {
  return memberOf(value, hasContent) === true
}

/** Content for the model beside an action's value, in neutral types that every protocol can map. */
export type Block = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock

/** Optional properties of any block. */
export interface BlockNotes {
  /** Audience, priority and time of modification, as in MCP's annotations. */
  readonly annotations?: Meta
  /** Metadata for programs. */
  readonly meta?: Meta
}

/** Plain text. */
export interface TextBlock extends BlockNotes {
  /** The discriminant. */
  readonly type: "text"
  /** The text; may be empty. */
  readonly text: string
}

/** An image. */
export interface ImageBlock extends BlockNotes {
  /** The discriminant. */
  readonly type: "image"
  /** The bytes, raw or in base64. */
  readonly data: Uint8Array | string
  /** The media type, such as `image/png`. */
  readonly mimeType: string
}

/** Audio. */
export interface AudioBlock extends BlockNotes {
  /** The discriminant. */
  readonly type: "audio"
  /** The bytes, raw or in base64. */
  readonly data: Uint8Array | string
  /** The media type, such as `audio/wav`. */
  readonly mimeType: string
}

/** A resource that the model may read. */
export interface ResourceLinkBlock extends BlockNotes {
  /** The discriminant. */
  readonly type: "resource_link"
  /** The URI to read. */
  readonly uri: string
  /** A short name. */
  readonly name: string
  /** A display name. */
  readonly title?: string
  /** A description of its content. */
  readonly description?: string
  /** Its media type, if known. */
  readonly mimeType?: string
  /** Its size in bytes, if known. */
  readonly size?: number
  /** Icons for display, as in MCP's resources. */
  readonly icons?: readonly Meta[]
}

/** A whole resource: text or bytes. */
export interface ResourceBlock extends BlockNotes {
  /** The discriminant. */
  readonly type: "resource"
  /** The resource's URI. */
  readonly uri: string
  /** Its media type, if known. */
  readonly mimeType?: string
  /** Its text, unless it is binary. */
  readonly text?: string
  /** Its bytes, raw or in base64, unless it is text. */
  readonly blob?: Uint8Array | string
  /**
   * Further members of a remote resource's contents, as plain JSON. `resources/read` passes them on unchanged beside the other
   * members, which win. In results of calls they are left out, as by the SDK's servers.
   */
  readonly further?: Meta
}
