/**
 * A JSON Schema as data. Loose on purpose: whatever an author or a foreign service brings is
 * carried unchanged, and made presentable only where it is published.
 */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }
