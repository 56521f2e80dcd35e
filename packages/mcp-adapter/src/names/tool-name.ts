import { endsLikeShortHash, SHORT_HASH_LENGTH, shortHash } from "@x/tool-schemas/json"
import type { Path } from "./path.js"

/** Gives an action its published name: a pure function of its path and key, whatever else is on offer. */
export type ToolNamer = (path: Path, key: string) => ToolName

/** A published name. */
export interface ToolName {
  /** `[A-Za-z0-9_]` (and the separator), first a letter or `_`. */
  readonly name: string
  /** Whether the name no longer shows path and key as they are, so that a title should. */
  readonly encoded: boolean
}

/** How names are made. */
export interface ToolNameOptions {
  /** Stands between the segments: of `_`, `-` and `.`, at most four. Default `__`; some hosts refuse names with a `.`. */
  readonly separator?: string
  /** The most characters a name may have, 20 to 128. Default 40: hosts add a prefix of their own to a limit of 64. */
  readonly maxLength?: number
  /** Further names no action may have, beside those of our own tools, present and planned. */
  readonly reserved?: readonly string[]
}

/** The names of our own tools, present and planned. Reserved in every mode, so that no option renames an action. */
export const BUILT_IN_NAMES: readonly string[] = [
  "find_actions",
  "get_state",
  "list_links",
  "run_action",
  "run_read_action",
  "wait_for",
]

/**
 * Makes a {@link ToolNamer}. Where path and key consist of words of ASCII letters and digits joined by single `_`, the
 * name is these, joined by the separator. Otherwise, and where that is too long, reserved, starts with a digit or looks
 * encoded, it keeps what it can of them, the action rather than the path, and ends in a short hash of the whole.
 *
 * A `-` is encoded too, although it is legal: some hosts turn it into `_`, and `a-b` and `a_b` must stay apart there.
 * So with a separator of `_`, names that differ still differ after `[^A-Za-z0-9]` → `_`.
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
  const taken = new Set([...BUILT_IN_NAMES, ...reserved])

  return (path, key) => {
    const segments = [...path, key]
    const plain = segments.join(separator)
    const free = plain.length <= maxLength && !taken.has(plain) && /^[A-Za-z]/.test(plain) && !endsLikeShortHash(plain)
    if (free && segments.every((segment) => isPlain(segment, separator))) return { name: plain, encoded: false }

    const room = maxLength - SHORT_HASH_LENGTH - 1
    return { name: `${toHead(segments, separator, room)}_${shortHash(segments)}`, encoded: true }
  }
}

/**
 * What is left of a name for a host that tells neither case nor joints apart: mcporter makes camelCase of names, and
 * refuses a whole server for two that become one. Names are not kept apart by it, as words and paths would have to change.
 */
export function foldToolName(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "").toLowerCase()
}

function isPlain(segment: string, separator: string): boolean {
  return /^[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*$/.test(segment) && !segment.includes(separator)
}

/** The readable part of an encoded name: never longer than `room`, never with a separator at its end. */
function toHead(segments: readonly string[], separator: string, room: number): string {
  const words = segments.map((segment) => segment.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, ""))
  const action = words.at(-1) ?? ""
  const path = words.slice(0, -1).filter(Boolean).join(separator)
  const shortened = path.slice(0, Math.max(0, room - 1 - action.length - separator.length)).replace(/[_.-]+$/, "")
  const head = [shortened, action.slice(0, room - 1)].filter(Boolean).join(separator).replace(/_$/, "")
  return /^[0-9]/.test(head) ? `_${head}` : head
}

/**
 * Checks a name that an author chose, which no rule of ours has made safe.
 *
 * @throws RangeError when a host would refuse it, or it is one of our own tools'.
 */
export function checkToolName(name: string): string {
  if (BUILT_IN_NAMES.includes(name))
    throw new RangeError(`its "toolName" is "${name}": expected none of our own tools' names`)
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) return name
  throw new RangeError(
    `its "toolName" is "${name.slice(0, 64)}": expected a letter or "_" first, then at most 63 letters, digits, "_" or "-"`,
  )
}
