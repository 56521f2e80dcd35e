import type { ToolEntry } from "@x/mcp-adapter"
import { invalidUsage } from "../cli-error.js"
import type { CallLine } from "../command/command-line.js"
import { isRecord } from "../flags/is-record.js"
import { suggest } from "../names/nearest.js"

/** Arguments as a call takes them, by field. */
export type Arguments = Readonly<Record<string, unknown>>

/** What is piped in; reads it all. `undefined` where nothing is. */
export type ReadPiped = () => Promise<string | undefined>

/**
 * Puts the arguments of a call together. Flags go before `--json`, which goes before what is piped in. That is read where
 * `--json -` says so, as the text of the field `context` where the action has one and nothing else gives it, and else as a
 * JSON object where no argument was given.
 *
 * @throws CliError `invalid_usage` when something is no JSON, missing, or no field of the action.
 */
export async function readArguments(line: CallLine, readPiped: ReadPiped): Promise<Arguments> {
  const { entry, given, json, title } = line
  const written = json === undefined ? undefined : await readJson(json, readPiped)
  const named = { ...written, ...Object.fromEntries(given) }
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

async function readRest({ entry, title }: CallLine, named: Arguments, readPiped: ReadPiped): Promise<Arguments> {
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
  const value = parse(text, from, hint)
  if (isRecord(value)) return value
  throw invalidUsage(`${from} is ${Array.isArray(value) ? "a JSON list" : `the JSON value ${shorten(text)}`}: ${hint}`)
}

function parse(text: string, from: string, hint: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw invalidUsage(`${from} is not JSON (${shorten(why)}): ${hint}`, cause)
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

function shorten(text: string): string {
  return text.length > shown ? `${text.slice(0, shown)}…` : text
}

const shown = 120
