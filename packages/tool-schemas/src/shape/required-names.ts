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
  /** Those that can be said in words only: the profile takes no such names, but for properties, which get others. */
  readonly beyond: readonly unknown[]
}

/** Reads what a schema requires, beside the properties that it names. */
export function requiredNames(schema: Keywords, named: SchemaSource, { profile, note }: Site): RequiredNames {
  const names: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : []
  const published = new Map(names.map((name) => [name, profile.names ? name : toPropertyName(String(name))]))
  const beyond = names.filter(
    (name) => !Object.hasOwn(named, String(name)) && (!profile.maps || published.get(name) !== name),
  )
  if (beyond.length > 0) note("described", "required")
  const said = names.filter((name) => !beyond.includes(name))
  return { names, required: said.map((name) => published.get(name)), beyond }
}
