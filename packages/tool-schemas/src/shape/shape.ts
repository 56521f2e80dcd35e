import type { Keywords } from "../keywords/keywords.js"

/** A schema in the form that a profile takes, and the way back to what its author's schema takes. */
export interface Shape {
  /** Pure JSON. */
  readonly schema: Keywords
  /** Undoes to a value what was done to the shape; absent where nothing was. Never throws; doing it twice is doing it once. */
  readonly restore?: Restore | undefined
  /** Whether it takes what the author's schema takes, and nothing else; otherwise it takes more. */
  readonly exact: boolean
}

/** Turns a value that fits the published schema into one for the author's schema. */
export type Restore = (value: unknown) => unknown

/** What publishing did to a schema beyond copying it. */
export interface SchemaChange {
  /** Where, as a JSON Pointer into what `verbatim` publishes. */
  readonly path: string
  /** The keyword it is about; empty where it is the whole schema. */
  readonly keyword: string
  /**
   * `rewritten`: said in another way that means the same. `described`: said in words only, so that the schema takes more
   * than the action does. `unrolled`: what holds itself ends in words after some levels.
   */
  readonly how: "rewritten" | "described" | "unrolled"
}

/** Does one after the other; `undefined` where nothing is to be done. */
export function sequence(restores: readonly (Restore | undefined)[]): Restore | undefined {
  const given = restores.filter((restore) => restore !== undefined)
  return given.length === 0 ? undefined : (value) => given.reduce((last, restore) => restore(last), value)
}
