import type { Keywords } from "../json-schema.js"
import type { Profile } from "../profiles.js"
import type { Way } from "../way.js"

/** A schema in a profile's form, with the way back to the author's. */
export interface Shape {
  /** Pure JSON. */
  readonly schema: Keywords
  /** Restores a value's original shape. Absent when unchanged. */
  readonly way?: Way | undefined
  /** Whether it accepts exactly the values of the author's schema; otherwise it accepts more. */
  readonly exact: boolean
}

/** A change that publishing made to a schema. */
export interface SchemaChange {
  /** The place, as a JSON Pointer (RFC 6901) into the `verbatim` schema. */
  readonly path: string
  /** The changed keyword; empty for the whole schema. */
  readonly keyword: string
  /**
   * `rewritten`: expressed differently with the same meaning. `described`: moved into the description, so that the schema
   * accepts more than its author's. `unrolled`: a recursive schema is described after some levels.
   */
  readonly how: "rewritten" | "described" | "unrolled"
}

/** The context of shaping a schema. */
export interface Site {
  /** The profile. */
  readonly profile: Profile
  /** Whether it is the root, always an object. */
  readonly root: boolean
  /** The remaining number of enum values in the whole schema. Each kept enum uses some. */
  readonly left: { enumValues: number }
  /**
   * Shapes a subschema, given the keys to it and the number of levels it adds to the published schema. Default 0: at its place.
   */
  shape(schema: Keywords, steps: readonly string[], levels?: number): Shape
  /** Resolves a kept reference to its published target. Only valid once all is shaped. */
  resolve(schema: Keywords): Keywords
  /** Records a keyword's change, or with `""` that of the whole. */
  note(how: SchemaChange["how"], keyword: string): void
}

/** Removes `undefined` members. */
export function defined(keywords: Keywords): Keywords {
  const given: Record<string, unknown> = {}
  for (const keyword of Object.keys(keywords)) if (keywords[keyword] !== undefined) given[keyword] = keywords[keyword]
  return given
}

/** Removes some keywords. */
export function withoutKeywords(schema: Keywords, keywords: readonly string[]): Keywords {
  const rest: Record<string, unknown> = {}
  for (const keyword of Object.keys(schema)) if (!keywords.includes(keyword)) rest[keyword] = schema[keyword]
  return rest
}
