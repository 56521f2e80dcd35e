import type { Block, Outcome } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import { findByPointer, type JsonValue, shorten } from "@x/base"
import { type Arguments, type CallContext, toClientKey } from "../calls/call-context.js"
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

/** Options of `get_state`. */
export interface GetStateOptions {
  /** The most characters of an answer; larger values are shortened. */
  readonly sizeLimit: number
  /** Whether the caller can choose a service by path, or there is only one. Default `any`. */
  readonly services?: "any" | "one"
  /** Whether states are also resources, so that an answer can link to a state that is too large. Default `false`. */
  readonly resources?: boolean
}

/** Creates the tool that reads the current states of one service: all, some, or a part of one. */
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

// Every model reads these texts with every request. `keys`, `offset` and `of` need no words of their own: the description names
// the first, and an answer that needs the others says so. Unknown parameters are refused, with the known ones, so the schemas of
// built-in tools need not close.
const PATH = { type: "string", description: "Links from the root, like `a/b`" }
const PARTS = {
  keys: { type: "array", items: { type: "string" } },
  pointer: { type: "string", description: "JSON Pointer to a part, like `/<key>/0`" },
  offset: { type: "integer" },
  of: { type: "string" },
  since: {
    type: "string",
    description: 'The last `since`, or "" to get one: says `unchanged` if so',
  },
}
const name = "get_state"

function toDefinition(properties: object): ToolDefinition {
  return Object.freeze<ToolDefinition>({
    name,
    title: "Get state",
    description:
      "Reads the current states of a service, all or those in `keys`. Cut values end in `…`, which says how to read on",
    inputSchema: { type: "object", properties },
    annotations: ONLY_READS,
  })
}

/** Reads from the target in front and lists the other targets, or reads from the chosen target. */
async function getStateAt(site: BuiltInSite, args: Input, options: GetStateOptions): Promise<Outcome> {
  const { view } = site
  const { target, ...rest } = args
  if (target === undefined) return addChoices(await getState(site, rest, options), view, parsePath(args.path ?? ""))
  const aimed = view.targets.at(target)
  if (aimed === undefined) return noTarget(target, view)
  // Resource links lead to the target in front, so other targets get none.
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
  const values = args.keys ? await readStateValues(wanted, context) : await readLocal(wanted, context)
  return toOutcome(wanted, values, { args, options, thing })
}

/** Reads all states but remote ones, which are only named. */
async function readLocal(
  states: readonly StateEntry[],
  context: CallContext,
): Promise<{ readonly [key: string]: JsonValue }> {
  const unread = states.filter(isRemote)
  // Not copied, so that the text that it is known to have is written once.
  if (unread.length === 0) return readStateValues(states, context)
  const local = states.filter((entry) => !isRemote(entry))
  return { ...Object.fromEntries(unread.map(toUnread)), ...(await readStateValues(local, context)) }
}

/** Records that the caller has seen the states' thing, and returns it. */
function meet([first]: readonly StateEntry[], { view, context, acquaintance }: BuiltInSite): string {
  if (first === undefined) return ""
  acquaintance.saw(view, context, first.path)
  return first.thing
}

/** Whether a state is remote. Remote states are fetched only if named in `keys`: there may be thousands. */
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
  // If everything fits, each state fits.
  const fits = value === wanted && found === values && offset === 0
  const content = [...note, ...(resources && !fits ? toLinks(states, values, sizeLimit) : [])]
  return { ok: true, value, ...(content.length > 0 && { content }) }
}

/** Any part but an object is wrapped. */
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

/** Returns the rest of a value from an offset on; values without parts are returned whole. */
function skip(json: JsonValue, offset: number): JsonValue {
  if (offset === 0 || typeof json !== "object" || json === null) {
    return typeof json === "string" ? json.slice(offset) : json
  }
  return Array.isArray(json) ? json.slice(offset) : Object.fromEntries(Object.entries(json).slice(offset))
}

/** Returns links to the states too large for the answer. */
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

/** The failure of a continued read after the thing was replaced: its parts would not belong together. */
function otherThing(path: string): Outcome {
  const place = path === "" ? "the application" : `"${path}"`
  return {
    ok: false,
    code: "changed",
    message: `${place} has been replaced since the first part was read`,
    recovery: 'read it from the start: omit "offset" and "of"',
  }
}

function noService(path: string): Outcome {
  return {
    ok: false,
    code: "not_found",
    message: `there is no service at "${path}" now`,
    recovery: 'pass a path of links such as "a/b", or omit "path" for the root',
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
  const message = `there is no value at "${pointer}" now: expected a JSON Pointer that begins with a state's key`
  return { ok: false, code: "not_found", message, recovery: toChoice(states) }
}

function toChoice(states: readonly StateEntry[]): string {
  const keys = states.map((state) => `"${state.key}"`).join(", ")
  return keys === "" ? "the service has no states now" : `choose from ${keys}`
}
