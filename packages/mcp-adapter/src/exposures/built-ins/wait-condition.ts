import type { JsonValue } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import type { Arguments } from "../../calls/active-call.js"
import { isOptionalString, onlyHas } from "./arguments.js"
import { toContentHash } from "./state-value.js"

/** What `wait_for` is called with. */
export interface WaitInput {
  /** The service. */
  readonly path?: string
  /** The state. */
  readonly key: string
  /** The part of it. */
  readonly pointer?: string
  /** What it is to be: as JSON, or as it is, where it is a text. */
  readonly equals?: string
  /** Whether it is to be there. */
  readonly exists?: boolean
  /** What it is to be more than. */
  readonly above?: number
  /** What it is to be less than. */
  readonly below?: number
  /** The hash of what it is not to be any more. */
  readonly since?: string
  /** How long to wait. */
  readonly seconds?: number
}

/** Whether a value, or its absence, is what was waited for. */
export type Condition = (found: JsonValue | undefined) => boolean

/**
 * Puts the conditions together: all that are given must hold.
 *
 * @param first - What was there at first; without any condition, something else is waited for.
 */
export function toCondition(input: WaitInput, first: JsonValue | undefined): Condition {
  const { equals, exists, above, below, since } = input
  const conditions: readonly (Condition | undefined)[] = [
    equals === undefined ? undefined : toEquals(equals),
    exists === undefined ? undefined : (found) => (found !== undefined) === exists,
    above === undefined ? undefined : (found) => typeof found === "number" && found > above,
    below === undefined ? undefined : (found) => typeof found === "number" && found < below,
    since === undefined ? undefined : (found) => found === undefined || !isSame(found, input.key, since),
  ]
  const given = conditions.filter((condition) => condition !== undefined)
  if (given.length === 0) return (found) => !equal(found, first)
  return (found) => given.every((condition) => condition(found))
}

/** Whether the arguments are what `wait_for` takes. */
export function isWaitInput(args: Arguments, names: readonly string[]): args is Arguments & WaitInput {
  const { path, key, pointer, equals, since, exists, above, below, seconds } = args
  const strings = [path, pointer, equals, since].every(isOptionalString)
  const numbers = [above, below, seconds].every((value) => value === undefined || Number.isFinite(value))
  return onlyHas(args, names) && typeof key === "string" && strings && numbers && isOptionalBoolean(exists)
}

function isOptionalBoolean(value: unknown): boolean {
  return value === undefined || typeof value === "boolean"
}

/** Whether a hash is of this value: of itself, or of the states that `get_state` answers for its key alone. */
function isSame(found: JsonValue, key: string, since: string): boolean {
  return toContentHash(found) === since || toContentHash({ [key]: found }) === since
}

function toEquals(text: string): Condition {
  const json = parse(text)
  return (found) => found === text || (json !== undefined && equal(found, json))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
