import { isRecord } from "../json/json-value.js"
import type { Keywords } from "../json-schema.js"
import { describe } from "./words.js"

/** The definitions that are referred to more than once, or from within themselves. */
export function usedAgain(root: Keywords, $defs: Keywords): ReadonlySet<string> {
  const refs = new Map(Object.entries($defs).map(([name, definition]) => [name, refsIn(definition)] as const))
  const uses = new Map<string, number>()
  for (const name of refsIn(root)) uses.set(name, (uses.get(name) ?? 0) + 1)
  const isHeld = (name: string): boolean => {
    const seen = new Set<string>()
    const queue = [...(refs.get(name) ?? [])]
    for (const next of queue) {
      if (next === name) return true
      if (!seen.has(next)) queue.push(...(refs.get(next) ?? []))
      seen.add(next)
    }
    return false
  }
  return new Set([...refs.keys()].filter((name) => (uses.get(name) ?? 0) > 1 || isHeld(name)))
}

/** The names of the definitions that a tree refers to, each as often as it does. */
function refsIn(tree: unknown): readonly string[] {
  if (typeof tree !== "object" || tree === null) return []
  return Object.entries(tree).flatMap(([keyword, value]) => {
    return keyword === "$ref" && typeof value === "string" ? [nameOf(value)] : refsIn(value)
  })
}

/** The name of the definition that a reference is to. */
export function nameOf($ref: string): string {
  return $ref.slice("#/$defs/".length)
}

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
  readonly definitions: Keywords
  /** How often each definition is around the reference. */
  readonly around: ReadonlyMap<string, number>
  /** Whether it is to end, whatever it refers to. */
  readonly ends: boolean
}

/** Puts what a schema refers to in its place; what holds itself is unrolled for some levels, and then only said. */
export function inlineRef(schema: Keywords, { definitions, around, ends }: InlineOptions): InlinedRef {
  if (typeof schema["$ref"] !== "string") return { schema, around, ends: false }
  const { $ref, ...beside } = schema
  const name = nameOf(schema["$ref"])
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  const body = isRecord(target) ? target : {}
  const times = around.get(name) ?? 0
  if (ends || times >= UNROLLED) {
    const { type } = body
    const leaf = typeof type === "string" ? { ...beside, type } : beside
    return { schema: describe(leaf, ["nested further in the same way"]), around, ends: true }
  }
  const inner = new Map(around).set(name, times + 1)
  return inlineRef(withBeside(body, beside), { definitions, around: inner, ends })
}

/** How many levels of what holds itself are spelled out. */
const UNROLLED = 2

/** Words beside a reference go before those of what it refers to; anything else has to hold as well. */
function withBeside(body: Keywords, beside: Keywords): Keywords {
  return isWords(beside) ? { ...body, ...beside } : { ...beside, allOf: [body, ...[beside["allOf"] ?? []].flat()] }
}

/** Puts what the parts of an `allOf` refer to in their places, so that they can be merged. */
export function openParts(inlined: InlinedRef, definitions: Keywords): InlinedRef {
  const { allOf } = inlined.schema
  if (!Array.isArray(allOf)) return inlined
  const around = new Map(inlined.around)
  const parts = allOf.filter(isRecord).map((part) => {
    const opened = inlineRef(part, { definitions, around: inlined.around, ends: false })
    for (const [name, times] of opened.around) around.set(name, Math.max(times, around.get(name) ?? 0))
    return opened.schema
  })
  return { ...inlined, schema: { ...inlined.schema, allOf: parts }, around }
}

/** Whether keywords say nothing of the value. */
export function isWords(keywords: Keywords): boolean {
  return Object.keys(keywords).every((keyword) => keyword === "title" || keyword === "description")
}
