import type { Content } from "../content.js"
import type { Failed } from "../fail.js"

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
