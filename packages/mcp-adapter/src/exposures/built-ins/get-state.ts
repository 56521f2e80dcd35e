import type { Outcome } from "@x/agentic-service"
import type { Arguments } from "../../calls/active-call.js"
import { toInvalidInput } from "../../calls/check-input.js"
import type { StateEntry, ToolDefinition } from "../../catalogue/entry.js"
import type { View } from "../../catalogue/view.js"
import { parsePath } from "../../names/path.js"
import type { JsonValue } from "../../values/json-value.js"
import { toJson } from "../../values/to-json.js"
import { isOptionalString, isOptionalStrings, onlyHas } from "./arguments.js"
import type { BuiltIn } from "./built-in.js"

/**
 * The tool that reads the states of one service, all or some, as they are now.
 *
 * @param services - Whether any service may be named, by its path, or there is but one.
 */
export function createGetState(sizeLimit: number, services: "any" | "one" = "any"): BuiltIn {
  const given = services === "any" ? { path: PATH, keys: KEYS } : { keys: KEYS }
  return {
    definition: toDefinition(given),
    run: (args, { view }) => (isInput(args, Object.keys(given)) ? getState(view, args, sizeLimit) : invalid(services)),
  }
}

const PATH = { type: "string", description: "The service, as its path of links, such as `a/b`; left out for the root" }
const KEYS = { type: "array", items: { type: "string" }, description: "The states to read; left out for all" }
const name = "get_state"

function toDefinition(properties: object): ToolDefinition {
  return Object.freeze<ToolDefinition>({
    name,
    title: "Get state",
    description: "Reads what the application shows now: all states of one service, or those named in `keys`.",
    inputSchema: { type: "object", properties, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  })
}

function getState(view: View, args: Input, sizeLimit: number): Outcome {
  const path = parsePath(args.path ?? "")
  const states = path && view.statesAt(path)
  if (states === undefined) return noService(args.path ?? "")
  const missing = args.keys?.find((key) => !states.some((state) => state.key === key))
  if (missing !== undefined) return noState(missing, states)
  const wanted = args.keys ? states.filter((state) => args.keys?.includes(state.key)) : states
  return toOutcome(wanted.flatMap(encode), sizeLimit)
}

type Input = { readonly path?: string; readonly keys?: readonly string[] }

function isInput(args: Arguments, names: readonly string[]): args is Input {
  return onlyHas(args, names) && isOptionalString(args["path"]) && isOptionalStrings(args["keys"])
}

function invalid(services: "any" | "one"): Outcome {
  const message =
    services === "any"
      ? 'expected "path", a string, and "keys", a list of strings, both optional, and nothing else'
      : 'expected "keys", an optional list of strings, and nothing else'
  return toInvalidInput(name, [{ path: [], message }])
}

type Encoded = { readonly key: string; readonly json: JsonValue; readonly size: number }

/** One state, with the characters it takes; none when it went away since it was listed. */
function encode(entry: StateEntry): readonly Encoded[] {
  const state = entry.current()
  if (state === undefined) return []
  const json = toJson(state.value)
  return [{ key: entry.key, json, size: entry.key.length + JSON.stringify(json).length }]
}

function toOutcome(encoded: readonly Encoded[], sizeLimit: number): Outcome {
  const size = encoded.reduce((sum, state) => sum + state.size, 0)
  if (size <= sizeLimit) return { ok: true, value: Object.fromEntries(encoded.map(({ key, json }) => [key, json])) }
  const sizes = encoded.map((state) => `"${state.key}" ${state.size}`).join(", ")
  return {
    ok: false,
    code: "too_large",
    message: `the states take ${size} characters, more than the ${sizeLimit} that fit in an answer`,
    recovery: `select some with "keys"; their sizes: ${sizes}`,
  }
}

function noService(path: string): Outcome {
  return {
    ok: false,
    code: "not_found",
    message: `there is no service at "${path}" now`,
    recovery: 'give a path of links such as "a/b", or leave it out for the root',
  }
}

function noState(key: string, states: readonly StateEntry[]): Outcome {
  const keys = states.map((state) => `"${state.key}"`).join(", ")
  return {
    ok: false,
    code: "not_found",
    message: `there is no state "${key}" in this service now`,
    recovery: keys === "" ? "the service shows no state now" : `choose from ${keys}`,
  }
}
