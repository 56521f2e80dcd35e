import type { Action, JsonSchema, Link, Question, Questions, State } from "@x/agentic-service"
import type { ActionDefinition, LinkDefinition, StateDefinition } from "@x/agentic-service/adapter"
import { isBytes, isRecord, type JsonValue, toBase64, toJson } from "@x/tool-schemas/json"
import { MAP_NAMES, type MapName } from "./frames.js"
import { malformed } from "./wire-error.js"

// Members as they travel: how one side writes them, and how the other reads what may be anything.

/** A declared member. */
export interface RawDeclared<Definition> {
  /** What it is. */
  readonly definition: Definition
  /** Whether it has a condition. */
  readonly conditional: boolean
}

/** A state that is there. */
export interface RawState {
  /** What is fixed about it. */
  readonly definition: StateDefinition
  /** Its value; bytes where it was sent as bytes. */
  readonly value: unknown
  /** Whether the value is held elsewhere. */
  readonly remote: boolean
}

/** An action that is there. */
export interface RawAction {
  /** What is fixed about it. */
  readonly definition: ActionDefinition
  /** Whether it asks to be confirmed. */
  readonly confirms: boolean
  /** Whether it asks for answers. */
  readonly asks: boolean
}

/** A link that is there. */
export interface RawLink extends LinkDefinition {
  /** The number of the service it leads to. */
  readonly target: number
}

/** Whether what the other side says of itself beyond its members is left out, so that it cannot pass as somebody else. */
export interface Trust {
  /** Leaves out names of its own choosing, URIs, and words of a protocol. */
  readonly foreign: boolean
}

/** What is fixed about an action, as it travels. */
export function writeActionDefinition(action: ActionDefinition): JsonValue {
  const { title, description, schema, output, hints, toolName, timeoutMs, idleMs, meta, further } = action
  return toJson({ title, description, schema, output, hints, toolName, timeoutMs, idleMs, meta, further })
}

/** Which questions an action puts before it runs: 1 to confirm, 2 for answers, 3 both. */
export function writeQuestions({ confirm, ask }: Pick<Action, "confirm" | "ask">): 0 | 1 | 2 | 3 {
  if (confirm !== undefined) return ask === undefined ? 1 : 3
  return ask === undefined ? 0 : 2
}

/** Whether two actions are described alike; only what is the very same schema counts as alike. */
export function sameActionDefinition(one: ActionDefinition, other: ActionDefinition): boolean {
  return (
    ACTION_PARTS.every((part) => one[part] === other[part]) &&
    HINTS.every((hint) => one.hints?.[hint] === other.hints?.[hint])
  )
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

/** What is fixed about a state, as it travels. */
export function writeStateDefinition({ title, description, schema, mediaType, uri }: StateDefinition): JsonValue {
  return toJson({ title, description, schema, mediaType, uri })
}

/** Whether two states are described alike; only what is the very same schema counts as alike. */
export function sameStateDefinition(one: StateDefinition, other: StateDefinition): boolean {
  return STATE_PARTS.every((part) => one[part] === other[part])
}

const STATE_PARTS = ["title", "description", "schema", "mediaType", "uri"] as const

/** A value as it travels: bytes in base64; of what is held elsewhere only that it is. */
export function writeValue({ value, remote }: State): Readonly<Record<string, JsonValue>> {
  if (remote !== undefined) return { r: 1 }
  return isBytes(value) ? { b: toBase64(value) } : { v: toJson(value) }
}

/** What is fixed about a link, as it travels. */
export function writeLink({ description }: Pick<Link, "description">): Readonly<Record<string, JsonValue>> {
  return description === undefined ? {} : { d: description }
}

/** Reads what is fixed about a state. */
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

/** Reads what is fixed about an action. */
export function readActionDefinition(json: unknown, { foreign }: Trust): ActionDefinition {
  const { title, description, schema, output, hints, toolName, timeoutMs, idleMs, meta, further } = record(json)
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
  }
}

function readHints(json: unknown): ActionDefinition["hints"] {
  const given = isRecord(json) ? json : {}
  const known = ["readOnly", "destructive", "idempotent", "openWorld"].filter(
    (hint) => typeof given[hint] === "boolean",
  )
  return Object.fromEntries(known.map((hint) => [hint, given[hint]]))
}

/** Reads what is fixed about a link. */
export function readLinkDefinition(json: unknown): LinkDefinition {
  const { d } = isRecord(json) ? json : {}
  return optional("description", d)
}

/** Reads a schema; what is in it is looked at by whoever publishes it, and by the check. */
function readSchema(json: unknown): JsonSchema {
  if (typeof json === "boolean" || isSchema(json)) return json
  throw malformed("a schema is neither an object nor true or false")
}

function isSchema(json: unknown): json is Exclude<JsonSchema, boolean> {
  return isRecord(json)
}

/** Reads questions; `undefined` where they are none. */
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
  // A computed key widens to `string`.
  return { [name]: text(value, name) } as { readonly [name in Name]: string }
}

/** Reads a text; what it is goes into the error. */
export function text(value: unknown, what: string): string {
  if (typeof value === "string") return value
  throw malformed(`found ${typeof value} as a ${what}, expected text`)
}

/** Reads a list. */
export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw malformed(`found ${typeof value}, expected a list`)
}

/** Reads an object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw malformed(`found ${typeof value}, expected an object`)
}

/** Reads the name of a map; `undefined` where it is none. */
export function toMapName(value: unknown): MapName | undefined {
  return MAP_NAMES.find((name) => name === value)
}
