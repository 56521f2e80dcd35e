import type { Keywords } from "../../src/json-schema.js"

/** Who takes tool schemas, and refuses some. */
export type Vendor = "portable" | "anthropic" | "openai" | "openai-strict" | "gemini" | "verbatim"

/** Something that a vendor's API or a client refuses a tool for, often together with every other tool. */
export interface VendorRule {
  /** What is asked for. */
  readonly wants: string
  /** Where that is said, or where somebody was hit by it. */
  readonly source: string
  /** Tells whether a schema that stands at a place is refused. */
  readonly refuses: (schema: Keywords, place: SchemaPlace) => boolean
}

/** Where a schema stands in what is published. */
export interface SchemaPlace {
  /** As a JSON Pointer; empty at the root. */
  readonly path: string
  /** The keyword it is the value of, or in the value of. */
  readonly keyword: string
  /** How many objects and lists of the value are around it. */
  readonly level: number
}
