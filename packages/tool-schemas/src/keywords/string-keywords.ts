import type { SchemaSource } from "../schema-source.js"
import { isConcreteMediaType } from "./annotation-keywords.js"
import { defined, type Keywords } from "./keywords.js"

/**
 * `pattern`, `format` and what a string contains. A pattern that does not compile with the `u` flag and a format that
 * 2020-12 does not know are dropped, as strict validators refuse the whole schema for them.
 */
export function stringKeywords(source: SchemaSource): Keywords {
  const { pattern, format, contentEncoding, contentMediaType, mediaType } = source
  const isBlob = source["type"] === "blob"
  return defined({
    pattern: isPattern(pattern) ? pattern : undefined,
    format: typeof format === "string" && FORMATS.has(format) ? format : undefined,
    contentEncoding: isBlob ? "base64" : typeof contentEncoding === "string" ? contentEncoding : undefined,
    contentMediaType: [contentMediaType, mediaType].find(isConcreteMediaType),
  })
}

/** Whether a value is a pattern that every 2020-12 validator can compile. */
export function isPattern(value: unknown): value is string {
  if (typeof value !== "string") return false
  try {
    new RegExp(value, "u")
    return true
  } catch {
    return false
  }
}

/** JSON Schema 2020-12, validation, section 7.3. */
const FORMATS: ReadonlySet<string> = new Set([
  "date-time",
  "date",
  "time",
  "duration",
  "email",
  "idn-email",
  "hostname",
  "idn-hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "iri",
  "iri-reference",
  "uuid",
  "uri-template",
  "json-pointer",
  "relative-json-pointer",
  "regex",
])
