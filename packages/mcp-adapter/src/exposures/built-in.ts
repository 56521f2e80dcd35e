import type { AgenticService, Outcome, ResourceBlock } from "@x/agentic-service"
import { memoise } from "@x/tool-schemas"
import { isRecord, type JsonValue, knownJson, shortHash, toJson } from "@x/tool-schemas/json"
import type { Acquaintance } from "../calls/acquaintance.js"
import type { Arguments, CallContext } from "../calls/call-context.js"
import type { StateEntry, ToolAnnotations, ToolDefinition } from "../catalogue/entry.js"
import type { Host } from "../runtime/host.js"
import type { View } from "../views/view.js"

/** A tool of our own: constant in every list, answered from the view and so filtered as the view is. */
export interface BuiltIn {
  /** What clients are told; frozen. */
  readonly definition: ToolDefinition
  /** What clients are told while there are targets to choose from, by their keys; the same object for the same list. */
  aimed?(keys: readonly string[]): ToolDefinition
  /** Whether it is of any use with what a service declares. Default: it always is. It can be called in any case. */
  serves?(offer: Offer): boolean
  /**
   * The action that a call with these arguments is a call of, so that it is told under that name; absent where it is none.
   * The view is ready.
   */
  target?(args: Arguments, view: View): ActionCall | undefined
  /** Answers one call that is no call of an action, as an action would; the view is ready. */
  run(args: Arguments, site: BuiltInSite): Outcome | Promise<Outcome>
}

/** What there can be in a view, as its root declares it; of a service that declares nothing, everything. */
export interface Offer {
  /** Whether there can be states. */
  readonly states: boolean
  /** Whether there can be links. */
  readonly links: boolean
  /** Whether actions may come that were not listed at first. */
  readonly changes: boolean
}

/** Reads what there can be in a view. It stays as it is, so that a list is not another because a first state came. */
export function toOffer(view: View): Offer {
  return offerOf(view.serviceAt([])?.service.declared ?? nothingDeclared)
}

type Declared = AgenticService["declared"]

const nothingDeclared: Declared = Object.freeze({ states: {}, actions: {}, links: {} })

const offerOf = memoise(({ states = {}, actions = {}, links = {} }: Partial<Declared>): Offer => {
  const unknown = [states, actions, links].every((members) => Object.keys(members).length === 0)
  // What is linked may have anything.
  const linked = unknown || Object.keys(links).length > 0
  return {
    links: linked,
    states: linked || Object.keys(states).length > 0,
    changes: linked || Object.values(actions).some(({ conditional }) => conditional === true),
  }
})

/** A call of an action by way of a tool of our own. */
export interface ActionCall {
  /** The action's tool name. */
  readonly name: string
  /** Its arguments. */
  readonly args: Arguments
  /** The token of an earlier answer that asked for a confirmation. */
  readonly confirm?: string
  /** Whether it may be run only if it changes nothing. */
  readonly onlyReads?: true
  /** The target to call it in, and the view as that shows it. Default: the one in front. */
  readonly aim?: { readonly target: string; readonly view: View }
}

/** Adds the parameter that names a target, while there are several that differ. */
export function withTarget(definition: ToolDefinition): NonNullable<BuiltIn["aimed"]> {
  const { inputSchema } = definition
  return memoise((keys: readonly string[]) => {
    const target = { type: "string", enum: keys, description: TARGET }
    const properties = { ...Object(inputSchema["properties"]), target }
    return Object.freeze<ToolDefinition>({ ...definition, inputSchema: { ...inputSchema, properties } })
  })
}

const TARGET =
  "Which one to use, such as a tab of the application, where several are open that differ; left out for the one in " +
  "front. `get_state` tells which is which"

/** Says that a target is not there, and which are. */
export function noTarget(target: string, { targets }: View): Outcome {
  const choices = targets.choices([])
  return {
    ok: false,
    code: "not_available",
    message: `the target ${JSON.stringify(target.slice(0, SHOWN_TARGET))} is not there now`,
    recovery:
      choices.length === 0 ? 'leave "target" out: there is no choice' : `choose from ${JSON.stringify(choices)}`,
  }
}

const SHOWN_TARGET = 100

/** Where a built-in runs. */
export interface BuiltInSite {
  /** What the caller may see. */
  readonly view: View
  /** Who calls. */
  readonly context: CallContext
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Notes which things the caller is told of. */
  readonly acquaintance: Acquaintance
}

/** Whether the arguments have no other names than these. */
export function onlyHas(args: Arguments, names: readonly string[]): boolean {
  return Object.keys(args).every((key) => names.includes(key))
}

/** Whether an argument is a string, or left out. */
export function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string"
}

/** Whether an argument is a whole number that is not negative, or left out. */
export function isOptionalCount(value: unknown): value is number | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)
}

/** Whether an argument is a list of strings, or left out. */
export function isOptionalStrings(value: unknown): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string"))
}

/** Whether an argument is an object, or left out. */
export function isOptionalObject(value: unknown): value is Arguments | undefined {
  return value === undefined || isRecord(value)
}

/** What hosts are told of a tool of our own that only looks. */
export const ONLY_READS: ToolAnnotations = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
})

/** States as JSON, by key; one that went away since it was listed is not in it. */
export function toStateValues(entries: readonly StateEntry[]): { readonly [key: string]: JsonValue } {
  const values = entries.flatMap((entry) => {
    const state = entry.current()
    return state === undefined ? [] : [[entry.key, toJson(state.value)] as const]
  })
  return knownJson(Object.fromEntries(values))
}

/** {@link toStateValues} with what is held elsewhere fetched: one that cannot be had says why in its place. */
export async function readStateValues(
  entries: readonly StateEntry[],
  context: CallContext,
): Promise<{ readonly [key: string]: JsonValue }> {
  const remote = entries.map(async (entry) => {
    const held = entry.current()?.remote
    return held && ([entry.key, await held.read({ ...context, thing: entry.thing }).then(toValue, toReason)] as const)
  })
  const fetched = (await Promise.all(remote)).filter((each) => each !== undefined)
  const values = toStateValues(entries)
  return fetched.length === 0 ? values : { ...values, ...Object.fromEntries(fetched) }
}

/** One part alone is the value; a text that is JSON by its type is that. */
function toValue(parts: readonly ResourceBlock[]): JsonValue {
  const values = parts.map(({ text, blob, mimeType = "" }) =>
    text === undefined ? { mimeType, blob: toJson(blob) } : isJsonType(mimeType) ? parse(text) : text,
  )
  const [only = null] = values
  return values.length <= 1 ? only : values
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toReason(cause: unknown): JsonValue {
  return { error: cause instanceof Error ? cause.message : "it cannot be read now" }
}

/** Such as `application/json`, `application/geo+json`, `application/json; charset=utf-8`. */
export function isJsonType(mimeType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mimeType)
}

/**
 * Returns what stands for a value of a thing, to ask later whether it is still the same. An equal value of another thing is another.
 */
export function toContentHash(json: JsonValue, thing: string): string {
  return shortHash([JSON.stringify(json), thing])
}

/** Returns what stands for a thing itself, to be handed back by a caller that reads on. */
export function toThingHash(thing: string): string {
  return shortHash([thing])
}
