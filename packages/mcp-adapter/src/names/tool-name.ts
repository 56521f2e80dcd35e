import { endsLikeShortHash, SHORT_HASH_LENGTH, shortHash } from "@x/tool-schemas/json"
import type { Path } from "./path.js"

/**
 * Gives an action its published name: a pure function of its path and key, whatever else is on offer.
 *
 * @param displaced - Whether the name that it wants belongs to another; it then ends in a hash. Default `false`.
 */
export type ToolNamer = (path: Path, key: string, displaced?: boolean) => ToolName

/** A published name. */
export interface ToolName {
  /** `[A-Za-z0-9_-]` (and the separator), first a letter or `_`. */
  readonly name: string
  /** Whether the name ends in a hash and no longer shows path and key as they are, so that a title should. */
  readonly encoded: boolean
}

/** How names are made. */
export interface ToolNameOptions {
  /** Stands between the segments: of `_`, `-` and `.`, at most four. Default `__`; some hosts refuse names with a `.`. */
  readonly separator?: string
  /** The most characters a name may have, 20 to 128. Default 40: hosts add a prefix of their own to a limit of 64. */
  readonly maxLength?: number
  /** Further names no action may have, beside those of the adapter's own tools that an endpoint has. */
  readonly reserved?: readonly string[]
}

/**
 * Creates a {@link ToolNamer}. A name is path and key as they are, joined by the separator, as long as every vendor takes it and
 * no other path could give the same. Otherwise it keeps what it can of them, the first segment and the action rather than what
 * is between, and ends in a short hash of the whole: if it is illegal, too long, reserved, starts with no letter or looks hashed,
 * or if a segment contains the separator, or starts or ends with `_` or a character of it.
 *
 * Two names can still be one to a client that turns `-` into `_`. Which of them keeps its own is decided over the whole
 * catalogue; the other gets the hash.
 *
 * @throws RangeError for a separator or a length outside its bounds.
 */
export function createToolNamer(options: ToolNameOptions = {}): ToolNamer {
  const { separator = "__", maxLength = 40, reserved = [] } = options
  if (!/^[_.-]{1,4}$/.test(separator)) {
    throw new RangeError(`separator is "${separator}": expected one to four of "_", "-" and "."`)
  }
  if (!(maxLength >= 20 && maxLength <= 128)) {
    throw new RangeError(`maxLength is ${maxLength}: expected 20 to 128`)
  }
  const taken = new Set(reserved.map(foldHyphens))

  return (path, key, displaced = false) => {
    const segments = [...path, key]
    const plain = segments.join(separator)
    const free = !displaced && plain.length <= maxLength && /^[A-Za-z]/.test(plain) && !endsLikeShortHash(plain)
    if (free && !taken.has(foldHyphens(plain)) && segments.every((segment) => isPlain(segment, separator))) {
      return { name: plain, encoded: false }
    }
    const room = maxLength - SHORT_HASH_LENGTH - 1
    return { name: `${toHead(segments, separator, room)}_${shortHash(segments)}`, encoded: true }
  }
}

/** Returns what clients make of a name that turn everything but letters and digits into `_`. */
export function foldHyphens(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "_")
}

/**
 * What is left of a name for a host that tells neither case nor joints apart: mcporter makes camelCase of names, and
 * refuses a whole server for two that become one. Names are not kept apart by it, as words and paths would have to change.
 */
export function foldToolName(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "").toLowerCase()
}

/** Whether a segment can be told from its neighbours in a joined name, so that no other path gives the same name. */
function isPlain(segment: string, separator: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(segment) || segment.includes(separator) || segment.includes("__")) return false
  return [segment.at(0), segment.at(-1)].every((edge = "") => edge !== "_" && !separator.includes(edge))
}

/**
 * Returns the readable part of a name that ends in a hash: at most `room` characters. What is too long loses its middle: first
 * the links between the first segment and the action, then the middle of the action, and last that of the first segment.
 */
function toHead(segments: readonly string[], separator: string, room: number): string {
  const words = segments.map(toWord)
  const action = words.at(-1) ?? ""
  const [first = "", ...between] = words.slice(0, -1).filter(Boolean)
  const left = room - 1 // for the "_" before a digit
  if (first === "") return toLegal(cutMiddle(action, left))
  const head = cutMiddle(first, left - separator.length - Math.min(action.length, Math.floor(left / 4)))
  const tail = cutMiddle(action, left - head.length - separator.length)
  const middle = between
    .join(separator)
    .slice(0, Math.max(0, left - head.length - tail.length - 2 * separator.length))
    .replace(/[_.-]+$/, "")
  return toLegal([head, middle, tail].filter(Boolean).join(separator))
}

function toWord(segment: string): string {
  return segment.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^[_-]+|[_-]+$/g, "")
}

/** Keeps both ends of a text that is too long. */
function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const end = Math.floor((length - 1) / 2)
  const start = text.slice(0, length - 1 - end).replace(/[_-]+$/, "")
  return `${start}_${text.slice(text.length - end).replace(/^[_-]+/, "")}`
}

function toLegal(head: string): string {
  return /^[0-9]/.test(head) ? `_${head}` : head
}

/**
 * Checks a name that an author chose, which no rule of ours has made safe.
 *
 * @throws RangeError if a host would refuse it.
 */
export function checkToolName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) return name
  throw new RangeError(
    `its "toolName" is "${name.slice(0, 64)}": expected a letter or "_" first, then at most 63 letters, digits, "_" or "-"`,
  )
}
