import type { Keywords } from "../json-schema.js"
import type { Profile } from "../profiles.js"
import type { Way } from "../way.js"

/** A schema in the form that a profile takes, and the way back to what its author's schema takes. */
export interface Shape {
  /** Pure JSON. */
  readonly schema: Keywords
  /** Undoes to a value what was done to the shape; absent where nothing was. */
  readonly way?: Way | undefined
  /** Whether it takes what the author's schema takes, and nothing else; otherwise it takes more. */
  readonly exact: boolean
}

/** What publishing did to a schema beyond copying it. */
export interface SchemaChange {
  /** Where, as a JSON Pointer (RFC 6901) into what `verbatim` publishes. */
  readonly path: string
  /** The keyword it is about; empty where it is the whole schema. */
  readonly keyword: string
  /**
   * `rewritten`: said in another way that means the same. `described`: said in words only, so that the schema takes more
   * than its author's does. `unrolled`: what holds itself ends in words after some levels.
   */
  readonly how: "rewritten" | "described" | "unrolled"
}

/** Where a schema is being shaped, and what for. */
export interface Site {
  /** What is taken. */
  readonly profile: Profile
  /** Whether it is the root, which is an object whatever else. */
  readonly root: boolean
  /** How many more values the enums of the whole schema may name; whoever keeps an enum takes its share. */
  readonly left: { enumValues: number }
  /** Shapes what stands below, after steps of the path, and so many levels deeper in what is published. Default 0: in its place. */
  shape(schema: Keywords, steps: readonly string[], levels?: number): Shape
  /** Follows a reference that stays, from what is published to what it refers to there. Only for when all is shaped. */
  resolve(schema: Keywords): Keywords
  /** Notes what was done to a keyword, or with `""` to the whole. */
  note(how: SchemaChange["how"], keyword: string): void
}

/** Leaves out what is `undefined`. */
export function defined(keywords: Keywords): Keywords {
  const given: Record<string, unknown> = {}
  for (const keyword of Object.keys(keywords)) if (keywords[keyword] !== undefined) given[keyword] = keywords[keyword]
  return given
}

/** Leaves out some keywords. */
export function without(schema: Keywords, keywords: readonly string[]): Keywords {
  const rest: Record<string, unknown> = {}
  for (const keyword of Object.keys(schema)) if (!keywords.includes(keyword)) rest[keyword] = schema[keyword]
  return rest
}
