import type { Keywords } from "../keywords/keywords.js"
import type { Profile } from "../profiles/profile.js"
import type { SchemaChange, Shape } from "./shape.js"

/** Where a schema is being shaped, and what for. */
export interface Site {
  /** What is taken. */
  readonly profile: Profile
  /** Whether it is the root, which is an object whatever else. */
  readonly root: boolean
  /** Whether somewhere in the schema it matters what else is said of an item, so that nothing may be said needlessly. */
  readonly careful: boolean
  /** How many more values the enums of the whole schema may name; whoever keeps an enum takes its share. */
  readonly left: { enumValues: number }
  /** Shapes what stands below, after steps of the path, and so many levels deeper in what is published. Default 0: in its place. */
  shape(schema: Keywords, steps: readonly string[], levels?: number): Shape
  /** Notes what was done to a keyword, or with `""` to the whole. */
  note(how: SchemaChange["how"], keyword: string): void
}
