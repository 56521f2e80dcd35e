import type { AnySchema, ValueOf } from "../infer.js"
import type { When } from "../maps/when.js"
import type { Source } from "../sources/source.js"

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

/** Declares something an agent may see: a value that moves, and the schema that says what it looks like. */
export function state(options: MediaStateOptions): StateDeclaration
export function state<const Schema extends AnySchema>(
  options: JsonStateOptions<Schema, ValueOf<Schema>>,
): StateDeclaration
export function state(options: MediaStateOptions | JsonStateOptions<AnySchema, unknown>): StateDeclaration {
  return { kind: "state", options: { schema: undefined, ...options } }
}
