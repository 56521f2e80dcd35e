import { fstatSync } from "node:fs"
import { cutText, isRecord, parseJson, toMessage } from "@x/base"
import type { ToolEntry } from "@x/mcp-adapter"
import { invalidUsage } from "../cli-error.js"
import { suggest } from "../names/suggest.js"

/** An action's field as a flag. */
export interface Flag {
  /** The field's name; the flag is `--` and this name. */
  readonly name: string
  /** The accepted types, of items if it repeats. */
  readonly kinds: readonly ValueKind[]
  /** The accepted values; `undefined` if any. */
  readonly choices: readonly unknown[] | undefined
  /** Whether it is given once per list item. */
  readonly repeats: boolean
  /** Whether the action requires it. */
  readonly required: boolean
  /** The schema's default. */
  readonly fallback: unknown
  /** A description. */
  readonly description: string
}

/** Returns an action's fields that can be flags. Fields with reserved or unsuitable names need `--json`. */
export function toFlags({ definition }: ToolEntry, taken: readonly string[]): readonly Flag[] {
  const { properties, required } = definition.inputSchema
  if (!isRecord(properties)) return []
  const wanted = Array.isArray(required) ? required : []
  return Object.entries(properties)
    .filter(([name]) => /^[A-Za-z0-9][\w.-]*$/.test(name) && !name.startsWith("no-") && !taken.includes(name))
    .map(([name, schema]) => toFlag(name, isRecord(schema) ? schema : {}, wanted.includes(name)))
}

function toFlag(name: string, schema: Readonly<Record<string, unknown>>, required: boolean): Flag {
  const { items, default: fallback, description } = schema
  const repeats = schema["type"] === "array"
  const one = repeats ? (isRecord(items) ? items : {}) : schema
  return {
    name,
    kinds: toKinds(one),
    choices: choicesOf(one),
    repeats,
    required,
    fallback,
    description: typeof description === "string" ? description : "",
  }
}

function choicesOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]]
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined
}

/** The type of a value, as JSON Schema names it. */
type ValueKind = (typeof KINDS)[number]

const KINDS = ["string", "number", "integer", "boolean", "null", "object", "array"] as const

/**
 * Returns the types that a schema accepts, from `type`, `enum`, `const` and its alternatives; all types if they do not restrict
 * it.
 */
export function toKinds(schema: Readonly<Record<string, unknown>>): readonly ValueKind[] {
  const { type, enum: values, const: only, anyOf, oneOf } = schema
  const named = KINDS.filter((kind) => type === kind || (Array.isArray(type) && type.includes(kind)))
  if (named.length > 0) return named
  if (Array.isArray(values)) return KINDS.filter((kind) => values.some((value) => isKind(value, kind)))
  if (only !== undefined) return KINDS.filter((kind) => isKind(only, kind))
  const alternatives = [anyOf ?? oneOf].flat().filter(isRecord).flatMap(toKinds)
  return alternatives.length === 0 ? KINDS : KINDS.filter((kind) => alternatives.includes(kind))
}

/** Whether a value has a type. A whole number is both an integer and a number. */
function isKind(value: unknown, kind: ValueKind): boolean {
  switch (kind) {
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    case "object":
      return isRecord(value)
    default:
      return typeof value === kind
  }
}

/**
 * Converts a flag's text to an accepted type. Text is the last choice if other types are accepted, too.
 *
 * @throws CliError `invalid_usage` that says what was expected.
 */
export function readValue(flag: Flag, text: string): unknown {
  const { name, choices, kinds } = flag
  if (choices !== undefined) return choose(name, choices, text)
  if (kinds.length === 1 && kinds[0] === "string") return text
  const value = parseJson(text)
  if (value !== undefined && kinds.some((kind) => isKind(value, kind))) return value
  if (kinds.includes("string")) return text
  throw invalidUsage(`flag "--${name}" is ${shorten(text)}: expected ${kinds.map(describeKind).join(" or ")}`)
}

/** Converts text to an accepted type. Anything else stays text, so that the check rejects it. */
export function readText(schema: Readonly<Record<string, unknown>>, text: string): unknown {
  const kinds = toKinds(schema)
  if (kinds.length === 1 && kinds[0] === "string") return text
  const value = parseJson(text)
  return value !== undefined && kinds.some((kind) => isKind(value, kind)) ? value : text
}

function choose(name: string, choices: readonly unknown[], text: string): unknown {
  const words = choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)))
  const index = words.indexOf(text)
  if (index >= 0) return choices[index]
  throw invalidUsage(`flag "--${name}" is ${shorten(text)}: ${suggest(text, words)}`)
}

function describeKind(kind: string): string {
  if (kind === "object") return "a JSON object"
  if (kind === "array") return "a JSON list"
  if (kind === "null") return "null"
  return kind === "integer" ? "an integer" : `a ${kind}`
}

function shorten(text: string): string {
  return JSON.stringify(cutText(text, SHOWN))
}

const SHOWN = 60

/** Whether a flag is a boolean without a value. */
export function isSwitch({ choices, kinds, repeats }: Flag): boolean {
  return !repeats && choices === undefined && kinds.length === 1 && kinds[0] === "boolean"
}

/** Returns the name of a flag's value in help. */
export function valueName({ kinds, choices }: Flag): string {
  if (choices !== undefined) return "choice"
  const [only] = kinds
  return kinds.length === 1 && only !== undefined && !["object", "array", "null"].includes(only) ? only : "json"
}

/** The arguments of a call. */
export interface GivenArguments {
  /** The action. */
  readonly entry: ToolEntry
  /** The called name, for messages; the command's own if no action was named. */
  readonly title: string
  /** The flags' values, by field. */
  readonly fields: ReadonlyMap<string, unknown>
  /** The text of `--json`; `-` stands for standard input. */
  readonly json: string | undefined
}

/** A call's arguments, by field. */
export type Arguments = Readonly<Record<string, unknown>>

/** Reads standard input to its end; `undefined` if nothing is piped in. */
type ReadPiped = () => Promise<string | undefined>

/**
 * Merges the arguments of a call. Flags override `--json`, which overrides standard input. `--json -` reads standard input.
 * Without it, piped input becomes the text of the field `context` if the action has that field and nothing else sets it. For
 * any other action, piped input is read as a JSON object if no argument was given.
 *
 * @throws CliError `invalid_usage` for invalid JSON, a missing field or an unknown field.
 */
export async function readArguments(line: GivenArguments, readPiped: ReadPiped): Promise<Arguments> {
  const { entry, fields, json, title } = line
  const written = json === undefined ? undefined : await readJson(json, readPiped)
  const named = { ...written, ...Object.fromEntries(fields) }
  const piped = json === "-" ? {} : await readRest(line, named, readPiped)
  const args = { ...piped, ...named }
  expectFields(args, entry, title)
  return args
}

async function readJson(json: string, readPiped: ReadPiped): Promise<Arguments> {
  if (json !== "-") return parseObject(json, "--json")
  const text = await readPiped()
  if (text === undefined) throw invalidUsage('"--json -" reads from standard input: expected something piped in')
  return parseObject(text, INPUT)
}

async function readRest({ entry, title }: GivenArguments, named: Arguments, readPiped: ReadPiped): Promise<Arguments> {
  const { properties } = entry.definition.inputSchema
  const fields = isRecord(properties) ? properties : {}
  if (takesText(fields[CONTEXT])) {
    const text = CONTEXT in named ? undefined : await readPiped()
    return text === undefined || text === "" ? {} : { [CONTEXT]: text }
  }
  if (Object.keys(named).length > 0 || Object.keys(fields).length === 0) return {}
  const text = await readPiped()
  if (text === undefined || text.trim() === "") return {}
  return parseObject(text, INPUT, `"${title}" takes the fields of a JSON object`)
}

/** The field that receives piped text. */
const CONTEXT = "context"

const INPUT = "standard input"

function takesText(schema: unknown): boolean {
  return isRecord(schema) && schema["type"] === "string"
}

function parseObject(text: string, from: string, hint = "expected a JSON object"): Arguments {
  const value = parseJsonText(text, from, hint)
  if (isRecord(value)) return value
  throw invalidUsage(`${from} is ${Array.isArray(value) ? "a JSON list" : `the JSON value ${cut(text)}`}: ${hint}`)
}

function parseJsonText(text: string, from: string, hint: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = toMessage(cause)
    throw invalidUsage(`${from} is not JSON (${cut(why)}): ${hint}`, cause)
  }
}

/** Reports missing and unknown fields in the terms of a command line. The action's own check would find them, too. */
function expectFields(args: Arguments, { definition }: ToolEntry, title: string): void {
  const { properties, required, additionalProperties } = definition.inputSchema
  const known = isRecord(properties) ? Object.keys(properties) : []
  const unknown = Object.keys(args).find((key) => additionalProperties === false && !known.includes(key))
  if (unknown !== undefined) throw invalidUsage(`"${title}" has no field "${unknown}": ${suggest(unknown, known)}`)
  const wanted: readonly unknown[] = Array.isArray(required) ? required : []
  const missing = wanted.filter((key) => typeof key === "string" && !Object.hasOwn(args, key))
  if (missing.length === 0) return
  throw invalidUsage(`"${title}" needs ${missing.map((key) => `"--${key}"`).join(" and ")}: give a value for each`)
}

function cut(text: string): string {
  return cutText(text, MOST_SHOWN)
}

const MOST_SHOWN = 120

/**
 * Reads piped input to its end. Returns `undefined` on a terminal, or without any input.
 *
 * @param waiting - Called if nothing arrives for two seconds.
 * @throws CliError `invalid_usage` if it is more than `maxBytes`.
 */
export async function readPiped(maxBytes: number, waiting: () => void = () => {}): Promise<string | undefined> {
  const { stdin } = process
  if (stdin.isTTY || !isSource()) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  const late = setTimeout(waiting, SILENCE_MS)
  try {
    for await (const chunk of stdin) {
      clearTimeout(late)
      size += chunk.length
      if (size > maxBytes) throw invalidUsage(`standard input is more than ${maxBytes} bytes: expected at most that`)
      chunks.push(chunk)
    }
  } finally {
    clearTimeout(late)
  }
  // Some programs start a text with a byte order mark.
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
}

/** How long standard input may be silent before the person is told that it is awaited, in milliseconds. */
const SILENCE_MS = 2_000

/** Whether standard input can be read: it is not a device such as `/dev/null`, and exists. */
function isSource(): boolean {
  try {
    // Uses bigints: Node 20 reuses the file type of the last numeric `fstat` when it resolves the next module, and then fails
    // to follow a link after a pipe.
    const input = fstatSync(0, { bigint: true })
    return input.isFIFO() || input.isFile() || input.isSocket()
  } catch {
    return false
  }
}
