/** What JSON can carry. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | {
      /** A property; none is `undefined`. */
      readonly [key: string]: JsonValue
    }

/** Stands in the place of something that JSON cannot carry. */
export type Unserializable = {
  /** What it was or why it is left out: `NaN`, `function`, `circular`, `too deep`. */
  readonly unserializable: string
}
