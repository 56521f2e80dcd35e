import type { Outcome } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import { findByPointer, type JsonValue, type OptionRule, parseJson, shorten, stepInto } from "@x/tool-schemas/json"
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

/** How `wait_for` waits. */
export interface WaitForOptions {
  /** How long one call may wait, in seconds. Default 25: clients give up on a call after 60. */
  readonly limitSeconds?: number
  /** How many calls of one client may wait at once; further ones are refused with `busy`. Default 8. */
  readonly waiting?: number
}

/** What each of them may be. */
export const waitForRules: Record<keyof WaitForOptions, OptionRule> = {
  limitSeconds: { from: 0 },
  waiting: { from: 1, whole: true },
}

/** The tool that waits until a state fulfils a condition, so that a model need not ask again and again. */
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
const PATH = { type: "string", description: "The service, as its path of links, such as `a/b`; left out for the root" }

function toProperties(limit: number): Readonly<Record<string, object>> {
  return {
    key: { type: "string", description: "The state" },
    pointer: { type: "string", description: "Looks at what this JSON Pointer leads to in it, such as `/0/title`" },
    equals: { type: "string", description: "Until it is this, as JSON, such as `3` or `done`" },
    exists: { type: "boolean", description: "Until it is there, or is not" },
    above: { type: "number", description: "Until it is a number above this" },
    below: { type: "number", description: "Until it is a number below this" },
    since: { type: "string", description: "Until it is another than the `since` of an earlier answer told" },
    seconds: { type: "number", minimum: 0, maximum: limit, description: `How long to wait; left out for ${limit}` },
  }
}

function toDefinition(properties: object): ToolDefinition {
  return Object.freeze<ToolDefinition>({
    name,
    title: "Wait for a state",
    description:
      "Waits until a state fulfils all conditions that are given, or, without any, until it changes. Answers at once if " +
      "it does already, and with `timed_out` if it does not in time; either way with what it is then.",
    inputSchema: { type: "object", properties, required: ["key"], additionalProperties: false },
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

/** What the caller waits on. */
interface Found {
  /** The state. */
  readonly entry: StateEntry
  /** Its value, or the part of it. */
  readonly value: JsonValue
}

/** Whether another thing than at first shows the state now. */
function isOther(first: Found | undefined, now: Found | undefined): boolean {
  return first !== undefined && now !== undefined && first.entry.thing !== now.entry.thing
}

/** Finds what the caller waits on; what is hidden from the caller is not there. */
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
    message: `${waiting} of your calls are waiting already, which is all that may`,
    recovery: "wait for one of them to be answered, then call again",
  }
}

/** What `wait_for` is called with. */
interface WaitInput {
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
type Condition = (found: Found | undefined) => boolean

/**
 * Puts the conditions together: all that are given must hold.
 *
 * @param first - What was there at first; without any condition, another value, or the value of another thing, is waited for.
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

/** Whether the arguments are what `wait_for` takes. */
function isWaitInput(args: Arguments, names: readonly string[]): args is Arguments & WaitInput {
  const { path, key, pointer, equals, since, exists, above, below, seconds } = args
  const strings = [path, pointer, equals, since].every(isOptionalString)
  const numbers = [above, below, seconds].every((value) => value === undefined || Number.isFinite(value))
  return onlyHas(args, names) && typeof key === "string" && strings && numbers && isOptionalBoolean(exists)
}

function isOptionalBoolean(value: unknown): boolean {
  return value === undefined || typeof value === "boolean"
}

/** Whether a hash is of this value: of itself, or of the states that `get_state` answers for its key alone. */
function isSame({ value, entry: { thing } }: Found, key: string, since: string): boolean {
  return toContentHash(value, thing) === since || toContentHash({ [key]: value }, thing) === since
}

function toEquals(text: string): Condition {
  const json = parseJson(text)
  return (found) => found?.value === text || (json !== undefined && equal(found?.value, json))
}
