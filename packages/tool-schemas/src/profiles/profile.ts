/** What one kind of client takes, as data: the rest is rewritten into it, or into words. */
export interface Profile {
  /** Whether `$ref` and `$defs` stay; else what is referred to stands in its place, recursion to a bound. */
  readonly refs: boolean
  /** How deep schemas may be nested; what is deeper is asked for as JSON text. */
  readonly depth: number
  /** The keywords that stay; what others say goes into the description. */
  readonly keywords: ReadonlySet<string>
  /** The formats that stay; `any` for all of 2020-12. */
  readonly formats: ReadonlySet<string> | "any"
  /** Whether every schema has to have a type; what can be anything is asked for as JSON text then. */
  readonly typed: boolean
  /** How several types are said: as a list, a list for one type and `null` only, alternatives, or `nullable` and alternatives. */
  readonly types: "list" | "pair" | "alternatives" | "nullable"
  /** What `const` and `enum` may be: anything; anything but in `enum` only; or strings in `enum`. */
  readonly values: "any" | "enum" | "strings"
  /** How many values may stand in the enums of one schema. */
  readonly enumValues: number
  /** Whether an array may say what stands at each place (`prefixItems`), and need not say what its items are. */
  readonly tuples: boolean
  /** Whether an object may have names that its schema does not; else a map is asked for as a list of entries. */
  readonly maps: boolean
  /** Whether objects are closed and everything in them required; what may be left out may be null then. */
  readonly strict: boolean
  /** Whether properties may have any name; else only `[A-Za-z0-9_.-]{1,64}`. */
  readonly names: boolean
}

/** The profiles there are. */
export type ProfileName = "portable" | "anthropic" | "openai" | "openai-strict" | "gemini" | "verbatim"
