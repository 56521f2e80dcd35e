import { memberOf } from "./member-of.js"

/** What came of an action. A failure is data, not an exception. */
export type Outcome<Value = unknown> = Success<Value> | Failure

/** The action did what it was asked. */
export interface Success<Value = unknown> {
  /** Tells a success from a {@link Failure}. */
  readonly ok: true
  /** What the action returned; absent when it returned nothing. */
  readonly value?: Value
  /** Content blocks beside the value: text, image, audio, link or embedded resource. */
  readonly content?: readonly Block[]
}

/** The action did not, or could not, do what it was asked. */
export interface Failure {
  /** Tells a failure from a {@link Success}. */
  readonly ok: false
  /** What happened, in words a model and a person can use. */
  readonly message: string
  /** A stable code: one of {@link ServiceErrorCode} or the author's own. */
  readonly code?: string
  /** What to do about it. */
  readonly recovery?: string
}

// Registered, so that two copies of this package in one application understand each other.
const failed: unique symbol = Symbol.for("@x/agentic-service/failed")

/** A failure as an action returns it. Only {@link fail} makes one: a value that merely looks like it stays a value. */
export interface Failed extends Failure {
  /** Marks what {@link fail} made. */
  readonly [failed]: true
}

/** What a failure may carry beside its message. */
export interface FailOptions {
  /** A stable code for programs; any string. Default `"action_failed"`. */
  readonly code?: string
  /** What to do about it, for the model and the person. */
  readonly recovery?: string
}

/** Says that an action did not do what it was asked. To be returned, not thrown. */
export function fail(message: string, options: FailOptions = {}): Failed {
  return { [failed]: true, ...failure(message, options) }
}

/** Tells what {@link fail} made from every other value. */
export function isFailed(value: unknown): value is Failed {
  return memberOf(value, failed) === true
}

/** Makes the plain data of a failure. */
export function failure(message: string, { code = "action_failed", recovery }: FailOptions): Failure {
  return { ok: false, message, code, ...(recovery === undefined ? {} : { recovery }) }
}

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
}

/** Hands the model blocks beside the value of an action; `content(undefined, blocks)` where there is no value. */
export function content<const Value>(value: Value, blocks: readonly Block[]): Content<Value> {
  return { [hasContent]: true, value, blocks }
}

/** Tells what {@link content} made from every other value. */
export function isContent(value: unknown): value is Content<unknown> {
  return memberOf(value, hasContent) === true
}

/** Something an action hands to the model beside its value, in neutral types that every protocol can map. */
export type Block = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock

/** Plain text. */
export interface TextBlock {
  /** Tells the blocks apart. */
  readonly type: "text"
  /** The text; may be empty. */
  readonly text: string
}

/** An image. */
export interface ImageBlock {
  /** Tells the blocks apart. */
  readonly type: "image"
  /** The bytes, or the bytes in base64. */
  readonly data: Uint8Array | string
  /** Such as `image/png`. */
  readonly mimeType: string
}

/** A sound. */
export interface AudioBlock {
  /** Tells the blocks apart. */
  readonly type: "audio"
  /** The bytes, or the bytes in base64. */
  readonly data: Uint8Array | string
  /** Such as `audio/wav`. */
  readonly mimeType: string
}

/** A resource the model may read if it wants to. */
export interface ResourceLinkBlock {
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
}

/** A resource handed over whole: text or bytes. */
export interface ResourceBlock {
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
