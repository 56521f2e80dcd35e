import type { JsonValue } from "./json-value.js"
import { stepInto } from "./pointer.js"
import { toJsonText } from "./to-json.js"

/** Where a value stands, so that a reader can ask for what is left out of it. */
export interface Place {
  /** Leads to it, as a JSON Pointer (RFC 6901). */
  readonly pointer: string
  /** How many items, properties or characters of it come before those that are here. */
  readonly offset: number
  /** What tells whose value it is; stands beside each offset, so that a reader who reads on can hand it back. */
  readonly of?: string
}

/**
 * Makes a value fit in a number of characters of JSON, and keeps it valid JSON: a list is cut off, a text too, and the
 * properties of an object share the room, the small ones whole. Under `…` stands how much is left out, and the pointer and
 * offset that it is read on with. With less room than some hundred characters the result may be larger.
 *
 * @example
 * ```ts
 * import { shorten } from "@x/tool-schemas/json"
 *
 * const cards = Array.from({ length: 1_000 }, (_, index) => `card ${index}`)
 * console.log(JSON.stringify(shorten(cards, 200, { pointer: "/cards", offset: 0 })).length <= 200) // true
 * ```
 */
export function shorten(json: JsonValue, room: number, place: Place): JsonValue {
  if (sizeOf(json) <= room) return json
  if (typeof json === "string") return shortenText(json, room, place)
  if (typeof json !== "object" || json === null) return json
  return isList(json) ? shortenList(json, room, place) : shortenObject(Object.entries(json), room, place)
}

function shortenText(text: string, room: number, { pointer, offset, of }: Place): string {
  const whose = of === undefined ? "" : `, of ${JSON.stringify(of)}`
  const note = (kept: number): string =>
    `… (${text.length - kept} more characters: pointer ${JSON.stringify(pointer)}, offset ${offset + kept}${whose})`
  const free = room - sizeOf(note(0)) - 20
  let kept = Math.max(0, Math.min(text.length, free))
  while (kept > 0 && sizeOf(text.slice(0, kept)) > free) kept = Math.floor(kept * 0.9)
  // Not between the two halves of one character.
  if (/[\ud800-\udbff]$/.test(text.slice(0, kept))) kept -= 1
  return text.slice(0, kept) + note(kept)
}

function shortenList(items: readonly JsonValue[], room: number, place: Place): JsonValue {
  const { pointer, offset } = place
  const kept: JsonValue[] = []
  let left = room - sizeOf(toMarker(items.length, { ...place, offset: offset + items.length })) - 2
  for (const item of items) {
    const size = sizeOf(item) + 1
    if (size > left) break
    kept.push(item)
    left -= size
  }
  const [first] = items
  if (kept.length === 0 && first !== undefined && left >= least) {
    kept.push(shorten(first, left, { ...place, pointer: stepInto(pointer, offset), offset: 0 }))
  }
  if (kept.length === items.length) return kept
  return [...kept, toMarker(items.length - kept.length, { ...place, offset: offset + kept.length })]
}

type Entries = readonly (readonly [string, JsonValue])[]

function shortenObject(entries: Entries, room: number, place: Place): JsonValue {
  const { pointer, offset } = place
  const free = room - sizeOf(toMarker(entries.length, { ...place, offset: offset + entries.length })) - 2
  const kept = takeFirst(entries, free)
  const share = shareOut(kept, free)
  const shortened = kept.map(([key, value]) => {
    return [
      key,
      shorten(value, share - sizeOf(key) - 2, { ...place, pointer: stepInto(pointer, key), offset: 0 }),
    ] as const
  })
  const rest = entries.length - kept.length
  const marker = rest === 0 ? {} : toMarker(rest, { ...place, offset: offset + kept.length })
  return { ...Object.fromEntries(shortened), ...marker }
}

/** As many properties as have room for at least a little each. */
function takeFirst(entries: Entries, room: number): Entries {
  let left = room
  const end = entries.findIndex(([key, value]) => {
    left -= Math.min(sizeOf(value), least + 2 * key.length) + sizeOf(key) + 2
    return left < 0
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** The room for one property, so that all fit: who needs less leaves the rest to the others. */
function shareOut(entries: Entries, room: number): number {
  const sizes = entries.map(([key, value]) => sizeOf(key) + sizeOf(value) + 2).sort((one, other) => one - other)
  let left = room
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

function toMarker(count: number, { pointer, offset, of }: Place): { readonly [key: string]: JsonValue } {
  return { "…": { left_out: count, pointer, offset, ...(of !== undefined && { of }) } }
}

function sizeOf(json: JsonValue): number {
  return toJsonText(json).length
}

function isList(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json)
}

/** What a shortened value takes at least: its marker. */
const least = 160

/**
 * How many characters a value takes as JSON; 0 for what JSON leaves out, and `undefined` where it cannot be told cheaply: in
 * a cycle, in binary data, or where reading it throws.
 *
 * @example
 * ```ts
 * import { jsonSize } from "@x/tool-schemas/json"
 *
 * console.log(jsonSize({ a: 1 }), jsonSize(new Uint8Array(3))) // 7 undefined
 * ```
 */
export function jsonSize(value: unknown): number | undefined {
  try {
    return JSON.stringify(value, withoutBytes)?.length ?? 0
  } catch {
    return undefined
  }
}

/**
 * Writes a value as JSON for a message, cut where it gets long. Default 100 characters.
 *
 * @example
 * ```ts
 * import { showJson } from "@x/tool-schemas/json"
 *
 * console.log(showJson(["a".repeat(200)], 10)) // ["aaaaaaaa…
 * ```
 */
export function showJson(value: unknown, room = 100): string {
  const json = JSON.stringify(value) ?? "nothing"
  return json.length <= room ? json : `${json.slice(0, room)}…`
}

function withoutBytes(_key: string, value: unknown): unknown {
  if (ArrayBuffer.isView(value))
    throw new TypeError("bytes are not counted: as JSON they would be written out one by one")
  return value
}
