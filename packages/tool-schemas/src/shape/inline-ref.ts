import type { Keywords } from "../keywords/keywords.js"
import { isSource, type SchemaSource } from "../schema-source.js"
import { describe } from "./words.js"

/** What stands in the place of a reference. */
export interface InlinedRef {
  /** What it refers to, with what stands beside it; the schema itself where it refers to nothing. */
  readonly schema: Keywords
  /** How often each definition is around what stands below. */
  readonly around: ReadonlyMap<string, number>
  /** Whether it ended, because the definition holds itself or all has become too much. */
  readonly ends: boolean
}

/** What a reference is inlined with. */
export interface InlineOptions {
  /** What there is to refer to. */
  readonly definitions: SchemaSource
  /** How often each definition is around the reference. */
  readonly around: ReadonlyMap<string, number>
  /** Whether it is to end, whatever it refers to. */
  readonly ends: boolean
}

/** Puts what a schema refers to in its place; what holds itself is unrolled for some levels, and then only said. */
export function inlineRef(schema: Keywords, { definitions, around, ends }: InlineOptions): InlinedRef {
  const { $ref, ...beside } = schema
  if (typeof $ref !== "string") return { schema, around, ends: false }
  const name = $ref.slice("#/$defs/".length)
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  const body = isSource(target) ? target : {}
  const times = around.get(name) ?? 0
  if (ends || times >= UNROLLED) {
    const { type } = body
    const leaf = typeof type === "string" ? { ...beside, type } : beside
    return { schema: describe(leaf, ["nested further in the same way"]), around, ends: true }
  }
  const inner = new Map(around).set(name, times + 1)
  const next = withBeside(body, beside)
  return typeof next["$ref"] === "string"
    ? inlineRef(next, { definitions, around: inner, ends })
    : { schema: next, around: inner, ends: false }
}

/** How many levels of what holds itself are spelled out. */
const UNROLLED = 2

/** Words beside a reference go before those of what it refers to; anything else has to hold as well. */
function withBeside(body: Keywords, beside: Keywords): Keywords {
  const isWords = Object.keys(beside).every((keyword) => keyword === "title" || keyword === "description")
  return isWords ? { ...body, ...beside } : { ...beside, allOf: [body, ...[beside["allOf"] ?? []].flat()] }
}
