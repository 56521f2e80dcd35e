import type { Keywords } from "../keywords/keywords.js"
import type { SchemaSource } from "../schema-source.js"
import { toPropertyName } from "./property-name.js"
import type { Site } from "./site.js"

/** What an object is required to have. */
export interface RequiredNames {
  /** As the author names them. */
  readonly names: readonly unknown[]
  /** As they are published. */
  readonly required: readonly unknown[]
  /** Those that can be said in words only, as the profile takes no names but those of properties. */
  readonly beyond: readonly unknown[]
}

/** Reads what a schema requires, beside the properties that it names. */
export function requiredNames(schema: Keywords, named: SchemaSource, { profile, note }: Site): RequiredNames {
  const names: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : []
  const beyond = profile.maps ? [] : names.filter((name) => !Object.hasOwn(named, String(name)))
  if (beyond.length > 0) note("described", "required")
  const published = names.filter((name) => !beyond.includes(name))
  const toName = (name: unknown): unknown => (typeof name === "string" && !profile.names ? toPropertyName(name) : name)
  return { names, required: published.map(toName), beyond }
}
