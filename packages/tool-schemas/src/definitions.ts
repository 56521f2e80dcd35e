import type { SchemaSource } from "./schema-source.js"

/** What a published schema refers to by name. */
export interface Definitions {
  /** In the order they were first referred to; grows while the schema is walked. */
  readonly all: readonly Definition[]
  /** Refers to an author's schema under `$defs`; the same schema always under the same name. */
  refTo(source: SchemaSource, base: SchemaSource, suggestion: unknown): { readonly $ref: string }
}

/** A schema that is to stand in `$defs`. */
export interface Definition {
  /** Its name there: `[A-Za-z0-9_.-]`. */
  readonly name: string
  /** The schema as its author wrote it. */
  readonly source: SchemaSource
  /** The schema that references within it start from. */
  readonly base: SchemaSource
}

/** Starts without any; names are given in order, so the same schema always gives the same ones. */
export function createDefinitions(): Definitions {
  const all: Definition[] = []
  const names = new Map<SchemaSource, string>()

  const nameFor = (suggestion: unknown): string => {
    const words = typeof suggestion === "string" ? suggestion.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 64) : ""
    const name = /[A-Za-z0-9]/.test(words) ? words : "schema"
    const taken = new Set(names.values())
    let free = name
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`
    return free
  }

  return {
    all,
    refTo(source, base, suggestion) {
      const name = names.get(source) ?? nameFor(suggestion)
      if (!names.has(source)) all.push({ name, source, base })
      names.set(source, name)
      return { $ref: `#/$defs/${name}` }
    },
  }
}
