import type { Block, Outcome } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import { findByPointer, type JsonValue, shorten } from "@x/tool-schemas/json"
import { type Arguments, toClientKey } from "../calls/call-context.js"
import type { StateEntry, ToolDefinition } from "../catalogue/entry.js"
import { formatPath, type Path, parsePath } from "../names/path.js"
import type { View } from "../views/view.js"
import {
  type BuiltIn,
  type BuiltInSite,
  isOptionalCount,
  isOptionalString,
  isOptionalStrings,
  noTarget,
  ONLY_READS,
  onlyHas,
  readStateValues,
  toContentHash,
  toThingHash,
  withTarget,
} from "./built-in.js"

/** How `get_state` answers. */
export interface GetStateOptions {
  /** The most characters of an answer; what is larger is shortened. */
  readonly sizeLimit: number
  /** Whether any service may be named, by its path, or there is but one. Default `any`. */
  readonly services?: "any" | "one"
  /** Whether states are resources as well, so that a link can stand for one that is too large. Default `false`. */
  readonly resources?: boolean
}

/** The tool that reads the states of one service, all or some, or a part of one, as they are now. */
export function createGetState(options: GetStateOptions): BuiltIn {
  const { services = "any" } = options
  const given = services === "any" ? { path: PATH, ...PARTS } : PARTS
  const definition = toDefinition(given)
  return {
    definition,
    aimed: withTarget(definition),
    serves: ({ states }) => states,
    run(args, site) {
      const names = [...Object.keys(given), ...(site.view.targets.any() ? ["target"] : [])]
      return isInput(args, names) ? getStateAt(site, args, options) : invalid(services)
    },
  }
}

const PATH = { type: "string", description: "The service, as its path of links, such as `a/b`; left out for the root" }
const PARTS = {
  keys: { type: "array", items: { type: "string" }, description: "The states to read; left out for all" },
  pointer: { type: "string", description: "Reads only what this JSON Pointer leads to, such as `/<key>/0/title`" },
  offset: { type: "integer", minimum: 0, description: "Reads on from this item, property or character" },
  of: { type: "string", description: "The `of` that stands beside that offset" },
  since: {
    type: "string",
    description: "The `since` of an earlier answer: answers `unchanged` if it is all the same. Empty to be told one",
  },
}
const name = "get_state"

function toDefinition(properties: object): ToolDefinition {
  return Object.freeze<ToolDefinition>({
    name,
    title: "Get state",
    description:
      "Reads what the application shows now: all states of one service, or those named in `keys`. What is too large is " +
      "shortened: under `…` stands how to read on.",
    inputSchema: { type: "object", properties, additionalProperties: false },
    annotations: ONLY_READS,
  })
}

/** Reads of the one in front, and says which others there are; or of the one that was chosen. */
async function getStateAt(site: BuiltInSite, args: Input, options: GetStateOptions): Promise<Outcome> {
  const { view } = site
  const { target, ...rest } = args
  if (target === undefined) return addChoices(await getState(site, rest, options), view, parsePath(args.path ?? ""))
  const aimed = view.targets.at(target)
  if (aimed === undefined) return noTarget(target, view)
  // What a resource link leads to is the one in front.
  const own = { path: formatPath(aimed.path), ...rest }
  return getState({ ...site, view: aimed.view }, own, { ...options, resources: false })
}

function addChoices(outcome: Outcome, { targets, at }: View, path: Path | undefined): Outcome {
  if (!outcome.ok || path === undefined || targets.keys().length === 0) return outcome
  const choices = targets.choices([...at, ...path])
  if (choices.length === 0) return outcome
  return {
    ...outcome,
    content: [...(outcome.content ?? []), { type: "text", text: `\ntargets: ${JSON.stringify(choices)}` }],
  }
}

async function getState(site: BuiltInSite, args: Input, options: GetStateOptions): Promise<Outcome> {
  const { view, context } = site
  const path = parsePath(args.path ?? "")
  const states = path && view.statesAt(path)
  if (states === undefined) return noService(args.path ?? "")
  const missing = args.keys?.find((key) => !states.some((state) => state.key === key))
  if (missing !== undefined) return noState(missing, states)
  const wanted = args.keys ? states.filter((state) => args.keys?.includes(state.key)) : states
  const thing = meet(states, site)
  if (args.of !== undefined && args.of !== toThingHash(thing)) return otherThing(args.path ?? "")
  for (const entry of wanted) view.noteRead(entry, undefined, toClientKey(context))
  const values = await readStateValues(args.keys ? wanted : wanted.filter((entry) => !isRemote(entry)), context)
  return toOutcome(
    wanted,
    { ...Object.fromEntries(wanted.filter(isRemote).map(toUnread)), ...values },
    { args, options, thing },
  )
}

/** Notes that the caller is told whose states these are, and returns that. */
function meet([first]: readonly StateEntry[], { view, context, acquaintance }: BuiltInSite): string {
  if (first === undefined) return ""
  acquaintance.saw(view, context, first.path)
  return first.thing
}

/** What is held elsewhere is fetched where it is asked for by its key: there may be thousands. */
function isRemote(entry: StateEntry): boolean {
  return entry.current()?.remote !== undefined
}

function toUnread({ key }: StateEntry): readonly [string, JsonValue] {
  return [key, { unread: `read it with "keys": ["${key}"]` }]
}

function toOutcome(
  states: readonly StateEntry[],
  values: { readonly [key: string]: JsonValue },
  { args, options, thing }: { readonly args: Input; readonly options: GetStateOptions; readonly thing: string },
): Outcome {
  const { pointer = "", offset = 0, since } = args
  const { sizeLimit, resources } = options
  const found = findByPointer(values, pointer)
  if (found === undefined) return nothingThere(pointer, states)
  const hash = since === undefined ? undefined : toContentHash(found, thing)
  if (hash !== undefined && hash === since) return { ok: true, value: "unchanged" }
  const note: readonly Block[] = hash === undefined ? [] : [{ type: "text", text: `\nsince: ${hash}` }]
  const wanted = skip(found, offset)
  const value = shorten(wanted, sizeLimit - WRAPPING, { pointer, offset, of: toThingHash(thing) })
  // Where all of it fits, each does.
  const fits = value === wanted && found === values && offset === 0
  const content = [...note, ...(resources && !fits ? toLinks(states, values, sizeLimit) : [])]
  return { ok: true, value, ...(content.length > 0 && { content }) }
}

/** A part that is no object stands in one. */
const WRAPPING = '{"result":}'.length

type Input = {
  readonly target?: string
  readonly path?: string
  readonly keys?: readonly string[]
  readonly pointer?: string
  readonly offset?: number
  readonly of?: string
  readonly since?: string
}

function isInput(args: Arguments, names: readonly string[]): args is Input {
  const strings = [args["path"], args["pointer"], args["of"], args["since"], args["target"]]
  const rest = isOptionalStrings(args["keys"]) && isOptionalCount(args["offset"])
  return onlyHas(args, names) && strings.every(isOptionalString) && rest
}

function invalid(services: "any" | "one"): Outcome {
  const path = services === "any" ? '"path", ' : ""
  const message = `expected ${path}"pointer", "of" and "since", strings, "keys", a list of strings, and "offset", a whole number, all optional, and nothing else`
  return invalidInput(name, [{ path: [], message }])
}

/** What comes from an offset on; what has no parts is whole. */
function skip(json: JsonValue, offset: number): JsonValue {
  if (offset === 0 || typeof json !== "object" || json === null) {
    return typeof json === "string" ? json.slice(offset) : json
  }
  return Array.isArray(json) ? json.slice(offset) : Object.fromEntries(Object.entries(json).slice(offset))
}

/** Links to the states that an answer has no room for, each alone. */
function toLinks(
  states: readonly StateEntry[],
  values: { readonly [key: string]: JsonValue },
  sizeLimit: number,
): readonly Block[] {
  return states
    .filter(({ key }) => key in values && JSON.stringify(values[key]).length > sizeLimit)
    .slice(0, mostLinks)
    .map(({ definition: { uri, name, mimeType } }) => ({ type: "resource_link", uri, name, mimeType }))
}

const mostLinks = 10

/** The failure of a reader that reads on where another thing stands by now: the parts would not belong together. */
function otherThing(path: string): Outcome {
  const place = path === "" ? "the application" : `"${path}"`
  return {
    ok: false,
    code: "changed",
    message: `${place} is another than when the first part was read`,
    recovery: 'read it from the start: leave "offset" and "of" out',
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
  return {
    ok: false,
    code: "not_found",
    message: `there is no state "${key}" in this service now`,
    recovery: toChoice(states),
  }
}

function nothingThere(pointer: string, states: readonly StateEntry[]): Outcome {
  const message = `there is nothing at "${pointer}" now: expected a JSON Pointer that begins with the key of a state`
  return { ok: false, code: "not_found", message, recovery: toChoice(states) }
}

function toChoice(states: readonly StateEntry[]): string {
  const keys = states.map((state) => `"${state.key}"`).join(", ")
  return keys === "" ? "the service shows no state now" : `choose from ${keys}`
}
