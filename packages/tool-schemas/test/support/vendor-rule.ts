import type { Keywords } from "../../src/json-schema.js"
import type { ProfileName } from "../../src/profile-name.js"

/** Vendors and clients that accept tool schemas, and reject some. */
export type Vendor = ProfileName

/** A reason for which a vendor's API or a client rejects a tool, often together with every other tool. */
export interface VendorRule {
  /** The requirement. */
  readonly wants: string
  /** The source: documentation or a failure report. */
  readonly source: string
  /** Checks whether a schema at a place is rejected. */
  readonly refuses: (schema: Keywords, place: SchemaPlace) => boolean
}

/** A schema's place in the published one. */
export interface SchemaPlace {
  /** A JSON Pointer; empty at the root. */
  readonly path: string
  /** The enclosing keyword. */
  readonly keyword: string
  /** The number of enclosing objects and lists. */
  readonly level: number
}
