import { formatPointer, type JsonValue, toWellFormed } from "@x/base"

/** JSON with shortened lists and texts, and notes about the cuts. */
interface Shorter {
  readonly json: JsonValue
  readonly cuts: readonly string[]
}

/** Options of shortening. */
interface Shortening {
  /** Whether objects lose members too, even required ones. */
  readonly members: boolean
}

/** Cuts all lists and texts to one length at which the whole fits. Returns `undefined` when no length suffices. */
export function shortenJson(
  json: JsonValue,
  room: number,
  { members }: Shortening = { members: false },
): Shorter | undefined {
  const cutTo = (most: number): Shorter | undefined => {
    const cuts: string[] = []
    const shorter = cutJson(json, most, { at: [], cuts, members })
    return JSON.stringify(shorter).length <= room ? { json: shorter, cuts } : undefined
  }
  const least = cutTo(1)
  // JSON of mere names and numbers would otherwise be walked again and again in vain.
  if (least === undefined) return undefined
  for (let most = room; most > 1; most = Math.floor(most / 2)) {
    const shorter = cutTo(most)
    if (shorter !== undefined) return shorter
  }
  return least
}

interface Cutting {
  readonly at: readonly (string | number)[]
  readonly cuts: string[]
  readonly members: boolean
}

function cutJson(json: JsonValue, most: number, { at, cuts, members }: Cutting): JsonValue {
  const note = (length: number, of: string): void => {
    cuts.push(`${formatPointer(at.map(String))} to the first ${most} of ${length} ${of}`)
  }
  if (typeof json === "string") {
    if (json.length <= most) return json
    note(json.length, "characters")
    return toWellFormed(json.slice(0, most))
  }
  if (typeof json !== "object" || json === null) return json
  const cutIn = (value: JsonValue, step: string | number): JsonValue =>
    cutJson(value, most, { at: [...at, step], cuts, members })
  if (!isList(json)) {
    const entries = Object.entries(json)
    const isCut = members && entries.length > most
    if (isCut) note(entries.length, "members")
    const kept = isCut ? entries.slice(0, most) : entries
    return Object.fromEntries(kept.map(([key, value]) => [key, cutIn(value, key)]))
  }
  if (json.length > most) note(json.length, "items")
  return json.slice(0, most).map(cutIn)
}

function isList(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json)
}
