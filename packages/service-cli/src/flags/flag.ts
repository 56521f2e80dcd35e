import type { ToolEntry } from "@x/mcp-adapter"
import { isRecord, parseJson } from "@x/tool-schemas/json"
import { Option } from "commander"
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
function readValue(flag: Flag, text: string): unknown {
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

/** What was given by flags, by field. */
export type Given = Map<string, unknown>

/** A flag in the words of the argument parser. What it reads goes to `given`, for the parser's own names change letters. */
export function toOptions(flag: Flag, given: Given): readonly Option[] {
  const { name, repeats } = flag
  if (isSwitch(flag)) return toSwitch(flag, given)
  const option = new Option(`--${name} <${valueName(flag)}>`, describeFlag(flag))
  option.argParser((text) => {
    const value = readValue(flag, text)
    const before = given.get(name)
    given.set(name, repeats ? [...(Array.isArray(before) ? before : []), value] : value)
  })
  return [option]
}

/** Whether a flag is a yes or no, which takes no value. */
export function isSwitch({ choices, kinds, repeats }: Flag): boolean {
  return !repeats && choices === undefined && kinds.length === 1 && kinds[0] === "boolean"
}

function toSwitch(flag: Flag, given: Given): readonly Option[] {
  const set = (text: string): void => void given.set(flag.name, text === "true")
  return [
    new Option(`--${flag.name}`, describeFlag(flag)).preset("true").argParser(set),
    new Option(`--no-${flag.name}`).preset("false").argParser(set).hideHelp(),
  ]
}

/** The name that help gives to a flag's value. */
export function valueName({ kinds, choices }: Flag): string {
  if (choices !== undefined) return "choice"
  const [only] = kinds
  return kinds.length === 1 && only !== undefined && !["object", "array", "null"].includes(only) ? only : "json"
}

function describeFlag({ choices, description, fallback, repeats, required }: Flag): string {
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.map(toText).join(", ")}`]),
    ...(repeats ? ["repeat it for more"] : []),
    ...(required ? ["required"] : []),
    ...(fallback === undefined ? [] : [`default: ${toText(fallback)}`]),
  ]
  return [description, ...(notes.length === 0 ? [] : [`(${notes.join("; ")})`])].filter(Boolean).join(" ")
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
