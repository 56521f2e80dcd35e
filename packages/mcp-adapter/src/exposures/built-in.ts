import type { AgenticService, Outcome, ResourceBlock } from "@x/agentic-service"
import { isPlainJson, isRecord, type JsonValue, knownJson, shortHash, toJson, toJsonText } from "@x/base"
import { memoise } from "@x/tool-schemas"
import type { Acquaintance } from "../calls/acquaintance.js"
import type { Arguments, CallContext } from "../calls/call-context.js"
import type { OwnAnswer } from "../calls/create-calls.js"
import type { Tasks } from "../calls/tasks/create-tasks.js"
import type { StateEntry, ToolAnnotations, ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import type { Host } from "../runtime/host.js"
import type { View } from "../views/view.js"

/** A built-in tool: constant in every list, and answered from the caller's view, so that it reveals only what the view does. */
export interface BuiltIn {
  /** The published definition; frozen. */
  readonly definition: ToolDefinition
  /**
   * Returns the definition with a parameter for the target, while there are targets to choose from; the same object for equal
   * `keys`.
   */
  aimed?(keys: readonly string[]): ToolDefinition
  /** Whether the tool is useful for a service's declarations. Unlisted tools can still be called. Default: always. */
  serves?(offer: Offer): boolean
  /** Whether its name is its own already; until then an action may have it. Default: from the beginning. */
  hasName?(): boolean
  /**
   * Returns the action that a call with these arguments runs, so that events name that action; `undefined` if it runs none. The
   * view is ready.
   */
  target?(args: Arguments, view: View): ActionCall | undefined
  /** Answers a call that runs no action; the view is ready. */
  run(args: Arguments, site: BuiltInSite): OwnAnswer | Promise<OwnAnswer>
}

/** The members that a view can have, according to its root's declarations. A service without declarations may have any. */
export interface Offer {
  /** Whether there can be states. */
  readonly states: boolean
  /** Whether there can be links. */
  readonly links: boolean
  /** Whether actions may appear that were not in the first list. */
  readonly changes: boolean
  /** Whether a known action is long. */
  readonly long: boolean
}

/**
 * Reads a view's offer. It depends on declarations only, so that the list does not change when a first state appears. A first
 * long action changes the list itself.
 */
export function toOffer(view: View): Offer {
  const offer = offerOf(view.serviceAt([])?.service.declared ?? nothingDeclared)
  return hasLong(view.peek().known) ? { ...offer, long: true } : offer
}

const hasLong = memoise((known: readonly ToolEntry[]) => known.some(({ long }) => long === true))

type Declared = AgenticService["declared"]

const nothingDeclared: Declared = Object.freeze({ states: {}, actions: {}, links: {} })

const offerOf = memoise(({ states = {}, actions = {}, links = {} }: Partial<Declared>): Offer => {
  const unknown = [states, actions, links].every((members) => Object.keys(members).length === 0)
  // A linked service may have any members.
  const linked = unknown || Object.keys(links).length > 0
  return {
    links: linked,
    states: linked || Object.keys(states).length > 0,
    long: false,
    changes: linked || Object.values(actions).some(({ conditional }) => conditional === true),
  }
})

/** An action called through a built-in tool. */
export interface ActionCall {
  /** The action's tool name. */
  readonly name: string
  /** The action's arguments. */
  readonly args: Arguments
  /** The token of an earlier answer that asked for confirmation. */
  readonly confirm?: string
  /** Whether the action may run only if it is read-only. */
  readonly onlyReads?: true
  /** The chosen target and its view. Default: the target in front. */
  readonly aim?: { readonly target: string; readonly view: View }
}

/** Adds the `target` parameter to a definition, used while there are several targets that differ. */
export function withTarget(definition: ToolDefinition): NonNullable<BuiltIn["aimed"]> {
  const { inputSchema } = definition
  return memoise((keys: readonly string[]) => {
    const target = { type: "string", enum: keys, description: TARGET }
    const properties = { ...Object(inputSchema["properties"]), target }
    return Object.freeze<ToolDefinition>({ ...definition, inputSchema: { ...inputSchema, properties } })
  })
}

const TARGET =
  "Which target to use, such as a browser tab of the application, if several are open that differ. Omit it for the one in " +
  "front. `get_state` lists the targets"

/** Returns the failure for an unknown target, with the available ones. */
export function noTarget(target: string, { targets }: View): Outcome {
  const choices = targets.choices([])
  return {
    ok: false,
    code: "not_available",
    message: `the target ${JSON.stringify(target.slice(0, SHOWN_TARGET))} is not available now`,
    recovery: choices.length === 0 ? 'call again without "target"' : `choose from ${JSON.stringify(choices)}`,
  }
}

const SHOWN_TARGET = 100

/** A built-in's context. */
export interface BuiltInSite {
  /** The caller's view. */
  readonly view: View
  /** The call's context. */
  readonly context: CallContext
  /** The clock, the ledger and the operator's report. */
  readonly host: Host
  /** Records the things that the caller has seen. */
  readonly acquaintance: Acquaintance
  /** The calls that outlast their requests. */
  readonly tasks: Tasks
}

/** Whether arguments have only these names. */
export function onlyHas(args: Arguments, names: readonly string[]): boolean {
  return Object.keys(args).every((key) => names.includes(key))
}

/** Whether an argument is a string or absent. */
export function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string"
}

/** Whether an argument is a non-negative integer or absent. */
export function isOptionalCount(value: unknown): value is number | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)
}

/** Whether an argument is an array of strings or absent. */
export function isOptionalStrings(value: unknown): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string"))
}

/** Whether an argument is an object or absent. */
export function isOptionalObject(value: unknown): value is Arguments | undefined {
  return value === undefined || isRecord(value)
}

/** The annotations of a read-only built-in. */
export const ONLY_READS: ToolAnnotations = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
})

/** Returns states as JSON, by key; a state that has disappeared since it was listed is omitted. */
export function toStateValues(entries: readonly StateEntry[]): { readonly [key: string]: JsonValue } {
  return knownJson(toValues(entries, toJson))
}

function toValues(
  entries: readonly StateEntry[],
  toOne: (value: unknown) => JsonValue,
): { readonly [key: string]: JsonValue } {
  const values = entries.flatMap((entry) => {
    const state = entry.current()
    return state === undefined ? [] : [[entry.key, toOne(state.value)] as const]
  })
  return Object.fromEntries(values)
}

/**
 * {@link toStateValues}, with remote states fetched; a state that cannot be fetched is replaced by its error. Plain values are
 * not copied: `toJsonText` returns their current text for the answer.
 */
export async function readStateValues(
  entries: readonly StateEntry[],
  context: CallContext,
): Promise<{ readonly [key: string]: JsonValue }> {
  const remote = entries.map(async (entry) => {
    const held = entry.current()?.remote
    return held && ([entry.key, await held.read({ ...context, thing: entry.thing }).then(toValue, toReason)] as const)
  })
  const fetched = (await Promise.all(remote)).filter((each) => each !== undefined)
  const values = knownJson(toValues(entries, withoutCopy))
  // Keeps the text, before the application can change the values in place.
  toJsonText(values)
  return fetched.length === 0 ? values : { ...values, ...Object.fromEntries(fetched) }
}

function withoutCopy(value: unknown): JsonValue {
  return isPlainJson(value) ? value : toJson(value)
}

/** Returns a single part as the value itself, and parses text whose type is JSON. */
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
  return { error: cause instanceof Error ? cause.message : "the state cannot be read now" }
}

/** Whether a media type is JSON, such as `application/json`, `application/geo+json` or `application/json; charset=utf-8`. */
export function isJsonType(mimeType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mimeType)
}

/** Returns a hash of a value and its thing, to detect changes later. Equal values of different things have different hashes. */
export function toContentHash(json: JsonValue, thing: string): string {
  return shortHash([toJsonText(json), thing])
}

/** Returns a hash of a thing, which a caller passes back to continue reading. */
export function toThingHash(thing: string): string {
  return shortHash([thing])
}
