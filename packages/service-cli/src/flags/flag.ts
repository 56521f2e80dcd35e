import { fstatSync } from "node:fs"
import type { ToolEntry } from "@x/mcp-adapter"
import { isRecord, parseJson } from "@x/tool-schemas/json"
import { invalidUsage } from "../cli-error.js"
import { suggest } from "../names/suggest.js"

/** One field of an action as it is given on the command line. */
export interface Flag {
  /** The field's own name; the flag is that after `--`. */
  readonly name: string
  /** What its value may be; what its items may be, where it repeats. */
  readonly kinds: readonly ValueKind[]
  /** The values it may have, where they are few; any otherwise. */
  readonly choices: readonly unknown[] | undefined
  /** Whether it is given once for each item of a list. */
  readonly repeats: boolean
  /** Whether the action wants it. */
  readonly required: boolean
  /** What the schema says happens without it. */
  readonly fallback: unknown
  /** What it is for. */
  readonly description: string
}

/** The fields of an action that can be flags. The others, whose names are taken or no words, can be given with `--json`. */
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

/** What a value can be, in JSON Schema's words. */
type ValueKind = (typeof KINDS)[number]

const KINDS = ["string", "number", "integer", "boolean", "null", "object", "array"] as const

/**
 * What a schema lets a value be, as far as its `type`, `enum` and `const` say, and those of its alternatives; everything
 * where they say nothing.
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

/** Whether a value is of a kind; a whole number is both an integer and a number. */
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
 * Reads the text that was given for a flag as a value of one of its kinds; where it may be text and something else, it is
 * text only where it is nothing else.
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

/**
 * Reads a text as a value of one of the kinds that a schema lets it be; what fits none stays text, for the check to refuse.
 */
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
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}

const SHOWN = 60

/** Whether a flag is a yes or no, which takes no value. */
export function isSwitch({ choices, kinds, repeats }: Flag): boolean {
  return !repeats && choices === undefined && kinds.length === 1 && kinds[0] === "boolean"
}

/** The name that help gives to a flag's value. */
export function valueName({ kinds, choices }: Flag): string {
  if (choices !== undefined) return "choice"
  const [only] = kinds
  return kinds.length === 1 && only !== undefined && !["object", "array", "null"].includes(only) ? only : "json"
}

/** What was given for a call. */
export interface GivenArguments {
  /** The action. */
  readonly entry: ToolEntry
  /** The word it was named with, for messages; the command's own where none was. */
  readonly title: string
  /** What its flags gave, by field. */
  readonly fields: ReadonlyMap<string, unknown>
  /** What `--json` gave; `-` stands for standard input. */
  readonly json: string | undefined
}

/** Arguments as a call takes them, by field. */
export type Arguments = Readonly<Record<string, unknown>>

/** What is piped in; reads it all. `undefined` where nothing is. */
type ReadPiped = () => Promise<string | undefined>

/**
 * Puts the arguments of a call together. Flags go before `--json`, which goes before what is piped in. That is read where
 * `--json -` says so, as the text of the field `context` where the action has one and nothing else gives it, and else as a
 * JSON object where no argument was given.
 *
 * @throws CliError `invalid_usage` when something is no JSON, missing, or no field of the action.
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

/** The field that text is piped into. */
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
    const why = cause instanceof Error ? cause.message : String(cause)
    throw invalidUsage(`${from} is not JSON (${cut(why)}): ${hint}`, cause)
  }
}

/** What the check of the action would say, too, but in the words of a command line. */
function expectFields(args: Arguments, { definition }: ToolEntry, title: string): void {
  const { properties, required, additionalProperties } = definition.inputSchema
  const known = isRecord(properties) ? Object.keys(properties) : []
  const unknown = Object.keys(args).find((key) => additionalProperties === false && !known.includes(key))
  if (unknown !== undefined) throw invalidUsage(`"${title}" has no field "${unknown}": ${suggest(unknown, known)}`)
  const wanted: readonly unknown[] = Array.isArray(required) ? required : []
  const missing = wanted.filter((key) => typeof key === "string" && !Object.hasOwn(args, key))
  if (missing.length === 0) return
  throw invalidUsage(`"${title}" needs ${missing.map((key) => `"--${key}"`).join(" and ")}, found nothing for it`)
}

function cut(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

const MOST_SHOWN = 120

/**
 * Reads what is piped into the process, to its end; `undefined` where it has a terminal, or nothing that could be read.
 *
 * @param waiting - Called if nothing has come for two seconds.
 * @throws CliError `invalid_usage` when it is more than `maxBytes`.
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
      if (size > maxBytes) throw invalidUsage(`standard input is more than ${maxBytes} bytes: expected less`)
      chunks.push(chunk)
    }
  } finally {
    clearTimeout(late)
  }
  // Some programs begin a text with a byte order mark, which is no part of it.
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
}

/** How long standard input may be silent before the person is told what is waited for, in milliseconds. */
const SILENCE_MS = 2_000

/** Not a device such as `/dev/null`; and a process may be started without any input. */
function isSource(): boolean {
  try {
    // As bigints: Node 20 takes the type of what was last looked at as numbers for that of the next module it resolves, and
    // finds none behind a link after a pipe.
    const input = fstatSync(0, { bigint: true })
    return input.isFIFO() || input.isFile() || input.isSocket()
  } catch {
    return false
  }
}
