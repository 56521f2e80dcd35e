import { memberOf } from "./sources/member-of.js"

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
