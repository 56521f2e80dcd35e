/** A schema as its author wrote it: read, never changed. */
export type SchemaSource = { readonly [keyword: string]: unknown }

/** Tells whether something can be read as a schema or a map of schemas; booleans are for the caller to tell. */
export function isSource(value: unknown): value is SchemaSource {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
