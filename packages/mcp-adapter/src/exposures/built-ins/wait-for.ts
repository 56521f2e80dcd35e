import type { Outcome } from "@x/agentic-service"
import { findByPointer, type JsonValue, shorten, stepInto } from "@x/tool-schemas/json"
import { toInvalidInput } from "../../calls/check-input.js"
import { toStopped } from "../../calls/stop.js"
import { createTurnstile } from "../../calls/turnstile.js"
import type { ToolDefinition } from "../../catalogue/entry.js"
import type { View } from "../../catalogue/view.js"
import { waitUntil } from "../../catalogue/wait-until.js"
import { parsePath } from "../../names/path.js"
import type { BuiltIn, BuiltInSite } from "./built-in.js"
import { ONLY_READS } from "./only-reads.js"
import { toContentHash, toStateValues } from "./state-value.js"
import { type Condition, isWaitInput, toCondition, type WaitInput } from "./wait-condition.js"

/** How `wait_for` waits. */
export interface WaitForOptions {
  /** How long one call may wait, in seconds. Default 25: clients give up on a call after 60. */
  readonly limit?: number
  /** How many calls of one client may wait at once; further ones are refused with `busy`. Default 8. */
  readonly waiting?: number
}

/** The tool that waits until a state fulfils a condition, so that a model need not ask again and again. */
export function createWaitFor(
  { limit = 25, waiting = 8 }: WaitForOptions,
  { sizeLimit, services }: { readonly sizeLimit: number; readonly services: "any" | "one" },
): BuiltIn {
  const places = createTurnstile({ running: waiting, waiting: 0 })
  const properties = services === "any" ? { path: PATH, ...toProperties(limit) } : toProperties(limit)
  return {
    definition: toDefinition(properties),
    async run(args, site) {
      if (!isWaitInput(args, Object.keys(properties))) return invalid(services)
      const { client, signal } = site.context
      const leave = await places.enter(client, signal)
      if (leave === "left") return toStopped(name, "caller", 0)
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
  const { view, context } = site
  const { signal } = context
  const look = (): JsonValue | undefined => find(view, args)
  const holds: Condition = toCondition(args, look())
  const met = await waitUntil({ ...site, signal }, milliseconds, () => holds(look()) || undefined)
  if (signal.aborted) return toStopped(name, "caller", 0)
  const found = look()
  const pointer = stepInto("", args.key) + (args.pointer ?? "")
  return {
    ok: true,
    value: {
      ...(met ? { met: true } : { met: false, timed_out: true }),
      ...(found === undefined
        ? { exists: false }
        : { value: shorten(found, sizeLimit, { pointer, offset: 0 }), since: toContentHash(found) }),
    },
  }
}

/** What the caller waits on; what is hidden from the caller is not there. */
function find(view: View, { path = "", key, pointer = "" }: WaitInput): JsonValue | undefined {
  const parsed = parsePath(path)
  const entry = parsed && view.statesAt(parsed)?.find((state) => state.key === key)
  const value = entry && toStateValues([entry])[key]
  return value === undefined ? undefined : findByPointer(value, pointer)
}

function invalid(services: "any" | "one"): Outcome {
  const path = services === "any" ? ' "path", "pointer",' : ' "pointer",'
  const message = `expected "key", a string, and as conditions "equals", "exists", "above", "below" or "since"; also${path} and "seconds"`
  return toInvalidInput(name, [{ path: [], message }])
}

function busy(waiting: number): Outcome {
  return {
    ok: false,
    code: "busy",
    message: `${waiting} of your calls are waiting already, which is all that may`,
    recovery: "wait for one of them to be answered, then call again",
  }
}
