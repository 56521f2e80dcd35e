/**
 * A JSON Schema as data. Loose on purpose: whatever an author or a foreign service brings is
 * carried unchanged, and made presentable only where it is published.
 */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** A JSON Schema whose root is an object. */
export type ObjectSchema = {
  /** Always an object. */
  readonly type: "object"
  /** Any other 2020-12 keyword. */
  readonly [keyword: string]: unknown
}

/** The keywords of a schema that is no boolean, an author's or one of ours: read, never changed. */
export type Keywords = { readonly [keyword: string]: unknown }
