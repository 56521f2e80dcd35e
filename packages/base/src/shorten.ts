import type { JsonValue } from "./json-value.js"
import { isPlainJson } from "./plain-json.js"
import { stepInto } from "./pointer.js"
import { isKnownJson, toJsonText } from "./to-json.js"

/** A value's place, from which a reader can request omitted parts. */
export interface Place {
  /** The place, as a JSON Pointer (RFC 6901). */
  readonly pointer: string
  /** The number of items, properties or characters before the present ones. */
  readonly offset: number
  /** The owner's identity, repeated beside each offset, so that a reader can return it when reading on. */
  readonly of?: string
}

/**
 * Shortens a value to a number of JSON characters, and keeps it valid JSON. Lists and texts are cut. An object's properties
 * share the room, small ones stay whole. `…` holds the number of omitted parts, with the pointer and offset to read on. With
 * less room than some hundred characters the result may be larger.
 *
 * @example
 * ```ts
 * import { shorten } from "@x/base"
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
  // Never cut between two halves of one character.
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

/** Returns as many properties as get at least a minimum of room. */
function takeFirst(entries: Entries, room: number): Entries {
  let left = room
  const end = entries.findIndex(([key, value]) => {
    left -= Math.min(sizeOf(value), least + 2 * key.length) + sizeOf(key) + 2
    return left < 0
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** Returns the room for each property so that all fit: small ones leave their rest to others. */
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

/** The minimum size of a shortened value: its marker. */
const least = 160

/**
 * Returns a value's length as JSON; 0 for values that JSON omits, and `undefined` when counting is expensive or impossible: for
 * a cycle, binary data, or a getter that throws.
 *
 * @example
 * ```ts
 * import { jsonSize } from "@x/base"
 *
 * console.log(jsonSize({ a: 1 }), jsonSize(new Uint8Array(3))) // 7 undefined
 * ```
 */
export function jsonSize(value: unknown): number | undefined {
  if (isKnownJson(value)) return toJsonText(value).length
  try {
    // A replacer takes the engine many times as long.
    const json = isPlainJson(value) ? JSON.stringify(value) : JSON.stringify(value, withoutBytes)
    return json?.length ?? 0
  } catch {
    return undefined
  }
}

/**
 * Formats a value as JSON for a message, shortened if long. Default 100 characters.
 *
 * @example
 * ```ts
 * import { showJson } from "@x/base"
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
    throw new TypeError("bytes are not measured, because JSON would write each as a number")
  return value
}
