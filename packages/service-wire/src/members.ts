import type { Action, JsonSchema, Link, Question, Questions, State } from "@x/agentic-service"
import type { ActionDefinition, LinkDefinition, StateDefinition } from "@x/agentic-service/adapter"
import { isBytes, isRecord, type JsonValue, toBase64, toJson } from "@x/base"
import { MAP_NAMES, type MapName } from "./frames.js"
import { malformed } from "./wire-error.js"

// Members as JSON: one side writes them, the other parses untrusted input.

/** A declared member. */
export interface RawDeclared<Definition> {
  /** Its definition. */
  readonly definition: Definition
  /** Whether it has a condition. */
  readonly conditional: boolean
}

/** An available state. */
export interface RawState {
  /** The state's definition. */
  readonly definition: StateDefinition
  /** The state's value; bytes if it was sent as bytes. */
  readonly value: unknown
  /** Whether the value is held elsewhere. */
  readonly remote: boolean
}

/** An available action. */
export interface RawAction {
  /** The action's definition. */
  readonly definition: ActionDefinition
  /** Whether it asks for confirmation. */
  readonly confirms: boolean
  /** Whether it asks questions. */
  readonly asks: boolean
}

/** An available link. */
export interface RawLink extends LinkDefinition {
  /** The number of the linked service. */
  readonly target: number
}

/** Whether the other side is trusted to choose names and URIs. */
export interface Trust {
  /** Whether to drop tool names, URIs and protocol fields that the other side chose, so that it cannot impersonate another. */
  readonly foreign: boolean
}

/** Serializes an action's definition. */
export function writeActionDefinition(action: ActionDefinition): JsonValue {
  const { title, description, schema, output, hints, toolName, timeoutMs, idleMs, long, meta, further } = action
  return toJson({ title, description, schema, output, hints, toolName, timeoutMs, idleMs, long, meta, further })
}

/** Returns the questions that an action asks before it runs, as a number: 1 to confirm, 2 for answers, 3 for both. */
export function writeQuestions({ confirm, ask }: Pick<Action, "confirm" | "ask">): 0 | 1 | 2 | 3 {
  if (confirm !== undefined) return ask === undefined ? 1 : 3
  return ask === undefined ? 0 : 2
}

/** Whether two definitions of actions are equal. Schemas are compared by reference. */
export function sameActionDefinition(one: ActionDefinition, other: ActionDefinition): boolean {
  return (
    ACTION_PARTS.every((part) => one[part] === other[part]) &&
    sameLong(one.long, other.long) &&
    HINTS.every((hint) => one.hints?.[hint] === other.hints?.[hint])
  )
}

function sameLong(one: ActionDefinition["long"], other: ActionDefinition["long"]): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other
  return one.ttlMs === other.ttlMs && one.tasksOnly === other.tasksOnly
}

const ACTION_PARTS = [
  "title",
  "description",
  "schema",
  "output",
  "toolName",
  "timeoutMs",
  "idleMs",
  "meta",
  "further",
] as const
const HINTS = ["readOnly", "destructive", "idempotent", "openWorld"] as const

/** Serializes a state's definition. */
export function writeStateDefinition({ title, description, schema, mediaType, uri }: StateDefinition): JsonValue {
  return toJson({ title, description, schema, mediaType, uri })
}

/** Whether two definitions of states are equal. Schemas are compared by reference. */
export function sameStateDefinition(one: StateDefinition, other: StateDefinition): boolean {
  return STATE_PARTS.every((part) => one[part] === other[part])
}

const STATE_PARTS = ["title", "description", "schema", "mediaType", "uri"] as const

/** Serializes a state's value: bytes as base64, and a marker for a value that is held elsewhere. */
export function writeValue({ value, remote }: State): Readonly<Record<string, JsonValue>> {
  if (remote !== undefined) return { r: 1 }
  return isBytes(value) ? { b: toBase64(value) } : { v: toJson(value) }
}

/** Serializes a link's definition. */
export function writeLink({ description }: Pick<Link, "description">): Readonly<Record<string, JsonValue>> {
  return description === undefined ? {} : { d: description }
}

/** Parses a state's definition. */
export function readStateDefinition(json: unknown, { foreign }: Trust): StateDefinition {
  const { title, description, schema, mediaType, uri } = record(json)
  return {
    ...optional("title", title),
    ...optional("description", description),
    schema: readSchema(schema),
    ...optional("mediaType", mediaType),
    ...(foreign ? {} : optional("uri", uri)),
  }
}

/** Parses an action's definition. */
export function readActionDefinition(json: unknown, { foreign }: Trust): ActionDefinition {
  const { title, description, schema, output, hints, toolName, timeoutMs, idleMs, long, meta, further } = record(json)
  return {
    ...optional("title", title),
    description: text(description, "description"),
    schema: schema === undefined ? undefined : readSchema(schema),
    ...(output !== undefined && { output: readSchema(output) }),
    hints: readHints(hints),
    ...(foreign ? {} : optional("toolName", toolName)),
    ...(!foreign && isRecord(meta) && { meta }),
    ...(!foreign && isRecord(further) && { further }),
    ...(typeof timeoutMs === "number" && timeoutMs >= 0 && { timeoutMs }),
    ...(typeof idleMs === "number" && idleMs >= 0 && { idleMs }),
    ...readLong(long),
  }
}

function readLong(json: unknown): Pick<ActionDefinition, "long"> {
  if (!isRecord(json)) return json === true ? { long: true } : {}
  const { ttlMs, tasksOnly } = json
  const long = {
    ...(typeof ttlMs === "number" && ttlMs > 0 && { ttlMs }),
    ...(tasksOnly === true && { tasksOnly: true as const }),
  }
  return Object.keys(long).length === 0 ? {} : { long }
}

function readHints(json: unknown): ActionDefinition["hints"] {
  const given = isRecord(json) ? json : {}
  const known = ["readOnly", "destructive", "idempotent", "openWorld"].filter(
    (hint) => typeof given[hint] === "boolean",
  )
  return Object.fromEntries(known.map((hint) => [hint, given[hint]]))
}

/** Parses a link's definition. */
export function readLinkDefinition(json: unknown): LinkDefinition {
  const { d } = isRecord(json) ? json : {}
  return optional("description", d)
}

/** Parses a schema. Its keywords are checked later, when it is published or used. */
function readSchema(json: unknown): JsonSchema {
  if (typeof json === "boolean" || isSchema(json)) return json
  throw malformed(`found ${typeof json} as a schema, expected an object or a boolean`)
}

function isSchema(json: unknown): json is Exclude<JsonSchema, boolean> {
  return isRecord(json)
}

/** Parses questions. Returns `undefined` if there are none. */
export function readQuestions(json: unknown): Questions | undefined {
  if (!isRecord(json)) return undefined
  const questions = Object.entries(json).flatMap(([key, question]): (readonly [string, Question])[] => {
    const { message, schema } = isRecord(question) ? question : {}
    return typeof message === "string" && isSchema(schema) ? [[key, { message, schema }]] : []
  })
  return questions.length === 0 ? undefined : Object.fromEntries(questions)
}

function optional<Name extends string>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  if (value === undefined) return {}
  // TypeScript widens a computed key to `string`.
  return { [name]: text(value, name) } as { readonly [name in Name]: string }
}

/** Returns a string unchanged. Throws an error that names the field for anything else. */
export function text(value: unknown, what: string): string {
  if (typeof value === "string") return value
  throw malformed(`found ${typeof value} as a ${what}, expected a string`)
}

/** Returns an array unchanged. Throws for anything else. */
export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw malformed(`found ${typeof value}, expected a list`)
}

/** Returns an object unchanged. Throws for anything else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw malformed(`found ${typeof value}, expected an object`)
}

/** Returns the value if it is the name of a map, else `undefined`. */
export function toMapName(value: unknown): MapName | undefined {
  return MAP_NAMES.find((name) => name === value)
}
