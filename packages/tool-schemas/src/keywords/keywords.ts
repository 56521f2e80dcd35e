import type { SchemaSource } from "../schema-source.js"

/** Keywords of one schema as they are published. */
export type Keywords = { readonly [keyword: string]: unknown }

/** Puts an author's subschema in its place in the published tree, and gives what stands there. */
export type Publish = (subschema: unknown) => object

/** Says which of a schema's keywords are published, and how: one family of keywords. What no rule names, is dropped. */
export type KeywordRule = (source: SchemaSource, publish: Publish) => Keywords

/** Leaves out what is `undefined`. */
export function defined(keywords: Keywords): Keywords {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined))
}
