import { endsLikeShortHash, SHORT_HASH_LENGTH, shortHash } from "@x/base"
import type { Path } from "./path.js"

/**
 * Creates an action's published name: a pure function of path and key, independent of other actions.
 *
 * @param displaced - Whether another action holds the wanted name; it then ends in a hash. Default `false`.
 */
export type ToolNamer = (path: Path, key: string, displaced?: boolean) => ToolName

/** A published name. */
export interface ToolName {
  /** The name, of `[A-Za-z0-9_-]` plus separator characters. It begins with a letter or `_`. */
  readonly name: string
  /** Whether the name ends in a hash and no longer shows path and key unchanged, so that a title is needed. */
  readonly encoded: boolean
  /** The name under `formerMaxLength` if it differs; it stays callable. */
  readonly former?: string
}

/** Options of tool names. */
export interface ToolNameOptions {
  /** The text between segments: up to four of `_`, `-` and `.`. Default `__`. Some hosts refuse names with a `.`. */
  readonly separator?: string
  /** The maximum length, from 20 to 128. Default 40: hosts add their own prefix within a limit of 64. */
  readonly maxLength?: number
  /** The earlier `maxLength`, from 20 to 128, whose names stay callable. Default: none. */
  readonly formerMaxLength?: number
  /** Further names that no action may have, beside the adapter's own tools. */
  readonly reserved?: readonly string[]
}

/**
 * Creates a {@link ToolNamer}. A name consists of path and key, joined by the separator, if every vendor accepts it and no
 * other path yields the same. Otherwise it keeps as much as fits, the first segment and the action before the segments
 * between, and ends in a short hash of the whole. This happens when a name is illegal, too long, reserved, does not begin
 * with a letter or looks hashed, or when a segment contains the separator, or begins or ends with `_` or one of the
 * separator's characters.
 *
 * Two names may still be equal to clients that turn `-` into `_`. The whole catalogue decides which one keeps its name; the
 * other gets a hash.
 *
 * @throws RangeError if the separator or length is out of bounds.
 * @example
 * ```ts
 * import { createToolNamer } from "@x/mcp-adapter/binding"
 *
 * const toName = createToolNamer({ maxLength: 40 })
 * console.log(toName(["rooms", "hall"], "open")) // { name: 'rooms__hall__open', encoded: false }
 * console.log(toName(["rooms", "the hall"], "open").encoded) // true
 * ```
 */
export function createToolNamer({ formerMaxLength, ...options }: ToolNameOptions = {}): ToolNamer {
  const toName = createNamer(options)
  if (formerMaxLength === undefined) return toName
  const toFormer = createNamer({ ...options, maxLength: formerMaxLength })
  return (path, key, displaced) => {
    const name = toName(path, key, displaced)
    const former = toFormer(path, key, displaced).name
    return former === name.name ? name : { ...name, former }
  }
}

function createNamer(options: Omit<ToolNameOptions, "formerMaxLength">): ToolNamer {
  const { separator = "__", maxLength = 40, reserved = [] } = options
  if (!/^[_.-]{1,4}$/.test(separator)) {
    throw new RangeError(`separator is "${separator}": expected one to four of the characters "_", "-" and "."`)
  }
  if (!(maxLength >= 20 && maxLength <= 128)) {
    throw new RangeError(`maxLength is ${maxLength}: expected a number from 20 to 128`)
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

/** Returns a name as seen by clients that turn everything but letters and digits into `_`. */
export function foldHyphens(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "_")
}

/**
 * Returns a name as seen by hosts that ignore case and joints: mcporter converts names to camelCase, and refuses a whole server
 * when two become equal. Such names are only reported, because separating them would change words and paths.
 */
export function foldToolName(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "").toLowerCase()
}

/** Checks whether a segment stays recognisable in a joined name, so that no other path yields the same name. */
function isPlain(segment: string, separator: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(segment) || segment.includes(separator) || segment.includes("__")) return false
  return [segment.at(0), segment.at(-1)].every((edge = "") => edge !== "_" && !separator.includes(edge))
}

/**
 * Returns the readable part of a name with a hash: at most `room` characters. Too long names lose their middle: first the links
 * between first segment and action, then the action's middle, and last the first segment's.
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
    `its "toolName" is "${name.slice(0, 64)}": expected a letter or "_", then at most 63 letters, digits, "_" or "-"`,
  )
}
