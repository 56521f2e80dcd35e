import { annotationKeywords } from "./keywords/annotation-keywords.js"
import type { KeywordRule, Keywords, Publish } from "./keywords/keywords.js"
import { limitKeywords } from "./keywords/limit-keywords.js"
import { stringKeywords } from "./keywords/string-keywords.js"
import { subschemaKeywords } from "./keywords/subschema-keywords.js"
import { typeKeywords } from "./keywords/type-keywords.js"
import type { SchemaSource } from "./schema-source.js"

/**
 * Cleans the keywords of one schema; its subschemas are published by `publish`. An allow-list: only what a rule takes
 * up is published, so that whatever else an author's library keeps in a schema stays there.
 */
export function cleanSchema(source: SchemaSource, publish: Publish): Keywords {
  return Object.assign({}, ...RULES.map((rule) => rule(source, publish)))
}

const RULES: readonly KeywordRule[] = [
  typeKeywords,
  annotationKeywords,
  limitKeywords,
  stringKeywords,
  subschemaKeywords,
]
