import type { Outcome } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import { findByPointer, type JsonValue, type OptionRule, parseJson, shorten, stepInto } from "@x/base"
import equal from "fast-deep-equal"
import type { Arguments } from "../calls/call-context.js"
import { causeOf, toStopped } from "../calls/failures.js"
import { createTurnstile } from "../calls/take-turns.js"
import type { StateEntry, ToolDefinition } from "../catalogue/entry.js"
import { parsePath } from "../names/path.js"
import type { View } from "../views/view.js"
import { waitUntil } from "../views/wait-until.js"
import {
  type BuiltIn,
  type BuiltInSite,
  isOptionalString,
  ONLY_READS,
  onlyHas,
  toContentHash,
  toStateValues,
  toThingHash,
} from "./built-in.js"

/** Options of `wait_for`. */
export interface WaitForOptions {
  /** The longest wait of one call, in seconds. Default 25: clients give up on a call after 60. */
  readonly limitSeconds?: number
  /** The most waiting calls of one client; further ones fail with `busy`. Default 8. */
  readonly waiting?: number
}

/** The validation rules of {@link WaitForOptions}. */
export const waitForRules: Record<keyof WaitForOptions, OptionRule> = {
  limitSeconds: { from: 0 },
  waiting: { from: 1, whole: true },
}

/** Creates the tool that waits until a state meets a condition, so that a model need not poll. */
export function createWaitFor(
  { limitSeconds: limit = 25, waiting = 8 }: WaitForOptions,
  { sizeLimit, services }: { readonly sizeLimit: number; readonly services: "any" | "one" },
): BuiltIn {
  const places = createTurnstile({ running: waiting, waiting: 0 })
  const properties = services === "any" ? { path: PATH, ...toProperties(limit) } : toProperties(limit)
  return {
    definition: toDefinition(properties),
    serves: ({ states }) => states,
    async run(args, site) {
      if (!isWaitInput(args, Object.keys(properties))) return invalid(services)
      const { client, signal } = site.context
      const leave = await places.enter(client, signal)
      if (leave === "left") return toStopped(name, causeOf(signal), 0)
      if (leave === "full") return busy(waiting)
      const seconds = Math.min(args.seconds ?? limit, limit)
      try {
        return await wait(args, site, { milliseconds: seconds * 1_000, sizeLimit })
      } finally {
        leave()
      }
    },
  }
}

const name = "wait_for"
const PATH = { type: "string", description: "Links from the root, like `a/b`" }

function toProperties(limit: number): Readonly<Record<string, object>> {
  return {
    key: { type: "string", description: "The state's key" },
    pointer: { type: "string", description: "Watches only the part at this JSON Pointer, such as `/0/title`" },
    equals: { type: "string", description: "Waits until the value equals this JSON or text, such as `3` or `done`" },
    exists: { type: "boolean", description: "Waits until the value exists (true) or is absent (false)" },
    above: { type: "number", description: "Waits until the value is a number above this" },
    below: { type: "number", description: "Waits until the value is a number below this" },
    since: { type: "string", description: "Waits until the value differs from the one with this `since`" },
    seconds: { type: "number", minimum: 0, maximum: limit, description: `The longest wait. Default: ${limit}` },
  }
}

function toDefinition(properties: object): ToolDefinition {
  return Object.freeze<ToolDefinition>({
    name,
    title: "Wait for a state",
    description:
      "Waits until a state meets all given conditions or, without conditions, until it changes. Returns the current value, " +
      "at once if it already meets them, and with `timed_out` if it does not in time.",
    inputSchema: { type: "object", properties, required: ["key"] },
    annotations: ONLY_READS,
  })
}

interface Bounds {
  readonly milliseconds: number
  readonly sizeLimit: number
}

async function wait(args: WaitInput, site: BuiltInSite, { milliseconds, sizeLimit }: Bounds): Promise<Outcome> {
  const { view, context, acquaintance } = site
  const { signal } = context
  const look = (): Found | undefined => find(view, args)
  const first = look()
  const holds: Condition = toCondition(args, first)
  const met = await waitUntil({ ...site, signal }, milliseconds, () => holds(look()) || undefined)
  if (signal.aborted) return toStopped(name, causeOf(signal), 0)
  const found = look()
  if (found !== undefined) acquaintance.saw(view, context, found.entry.path)
  const pointer = stepInto("", args.key) + (args.pointer ?? "")
  return {
    ok: true,
    value: {
      ...(met ? { met: true } : { met: false, timed_out: true }),
      ...(found === undefined
        ? { exists: false }
        : {
            value: shorten(found.value, sizeLimit, { pointer, offset: 0, of: toThingHash(found.entry.thing) }),
            since: toContentHash(found.value, found.entry.thing),
          }),
      ...(isOther(first, found) && { replaced: true }),
    },
  }
}

/** The watched state or part of a state. */
interface Found {
  /** The state. */
  readonly entry: StateEntry
  /** Its value, or the watched part. */
  readonly value: JsonValue
}

/** Whether the state's thing has been replaced since the start. */
function isOther(first: Found | undefined, now: Found | undefined): boolean {
  return first !== undefined && now !== undefined && first.entry.thing !== now.entry.thing
}

/** Finds the watched state; `undefined` if it does not exist or is hidden from the caller. */
function find(view: View, { path = "", key, pointer = "" }: WaitInput): Found | undefined {
  const parsed = parsePath(path)
  const entry = parsed && view.statesAt(parsed)?.find((state) => state.key === key)
  const whole = entry && toStateValues([entry])[key]
  const value = whole === undefined ? undefined : findByPointer(whole, pointer)
  return entry === undefined || value === undefined ? undefined : { entry, value }
}

function invalid(services: "any" | "one"): Outcome {
  const path = services === "any" ? ' "path", "pointer",' : ' "pointer",'
  const message = `expected "key", a string, and as conditions "equals", "exists", "above", "below" or "since"; also${path} and "seconds"`
  return invalidInput(name, [{ path: [], message }])
}

function busy(waiting: number): Outcome {
  return {
    ok: false,
    code: "busy",
    message: `${waiting} of your calls are already waiting, the limit`,
    recovery: "wait for one of them to finish, then retry",
  }
}

/** The arguments of `wait_for`. */
interface WaitInput {
  /** The service's path. */
  readonly path?: string
  /** The state's key. */
  readonly key: string
  /** The watched part of the state, as a JSON Pointer. */
  readonly pointer?: string
  /** The expected value: a string as is, anything else as JSON. */
  readonly equals?: string
  /** Whether the value is expected to exist. */
  readonly exists?: boolean
  /** The value must be above this. */
  readonly above?: number
  /** The value must be below this. */
  readonly below?: number
  /** The hash from which the value must differ. */
  readonly since?: string
  /** The longest wait, in seconds. */
  readonly seconds?: number
}

/** Whether a value, or its absence, meets the conditions. */
type Condition = (found: Found | undefined) => boolean

/**
 * Combines the given conditions; all must hold.
 *
 * @param first - The state at the start. Without conditions, the wait ends when its value changes or its thing is replaced.
 */
function toCondition(input: WaitInput, first: Found | undefined): Condition {
  const { equals, exists, above, below, since } = input
  const conditions: readonly (Condition | undefined)[] = [
    equals === undefined ? undefined : toEquals(equals),
    exists === undefined ? undefined : (found) => (found !== undefined) === exists,
    above === undefined ? undefined : (found) => typeof found?.value === "number" && found.value > above,
    below === undefined ? undefined : (found) => typeof found?.value === "number" && found.value < below,
    since === undefined ? undefined : (found) => found === undefined || !isSame(found, input.key, since),
  ]
  const given = conditions.filter((condition) => condition !== undefined)
  if (given.length === 0) return (found) => !equal(found?.value, first?.value) || isOther(first, found)
  return (found) => given.every((condition) => condition(found))
}

/** Whether the arguments are valid. */
function isWaitInput(args: Arguments, names: readonly string[]): args is Arguments & WaitInput {
  const { path, key, pointer, equals, since, exists, above, below, seconds } = args
  const strings = [path, pointer, equals, since].every(isOptionalString)
  const numbers = [above, below, seconds].every((value) => value === undefined || Number.isFinite(value))
  return onlyHas(args, names) && typeof key === "string" && strings && numbers && isOptionalBoolean(exists)
}

function isOptionalBoolean(value: unknown): boolean {
  return value === undefined || typeof value === "boolean"
}

/** Whether a hash belongs to this value: to itself, or to `get_state`'s answer for its key alone. */
function isSame({ value, entry: { thing } }: Found, key: string, since: string): boolean {
  return toContentHash(value, thing) === since || toContentHash({ [key]: value }, thing) === since
}

function toEquals(text: string): Condition {
  const json = parseJson(text)
  return (found) => found?.value === text || (json !== undefined && equal(found?.value, json))
}
