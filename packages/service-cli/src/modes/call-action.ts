import { fstatSync } from "node:fs"
import type { Outcome, Success } from "@x/agentic-service"
import type { CallAnswer, CallContext, ToolEntry } from "@x/mcp-adapter"
import { isRecord, toJson } from "@x/tool-schemas/json"
import { invalidUsage } from "../cli-error.js"
import type { CallLine } from "../command/read-command-line.js"
import { suggest } from "../names/suggest.js"
import { untilSignal } from "../process-life.js"
import type { ModeSite } from "../run-options.js"
import type { Responses } from "../terminal/ask-person.js"
import { print, showText, tell, toJsonText, toLine } from "../terminal/display.js"
import { createProgressBar, findTerminal, type ProgressBar, type Terminal } from "../terminal/terminal.js"

/** The most bytes that are read from standard input where nothing else is said. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024

/** Calls an action on the path that every client's call takes, asks the person where it wants to, and prints what it answers. */
export async function callAction(site: ModeSite, line: CallLine): Promise<number> {
  const { maxInputBytes = MAX_INPUT_BYTES } = site.options
  const args = await readArguments(line, () => readPiped(maxInputBytes))
  const { stderr } = process
  const progress = stderr.isTTY ? await createProgressBar(stderr) : undefined
  const terminal = findTerminal()
  const patience = new AbortController()
  const release = untilSignal(() => patience.abort())
  try {
    const answer = await call(site, line, { args, signal: patience.signal, terminal, progress })
    progress?.clear()
    return await printAnswer(site, answer)
  } finally {
    progress?.clear()
    release()
  }
}

function wasTold(outcome: Outcome, told: ReadonlySet<string>): boolean {
  return !outcome.ok && outcome.code === "action_failed" && [...told].some((id) => outcome.message.endsWith(`(${id})`))
}

/** What goes with a call. */
interface CallParts {
  readonly args: Arguments
  readonly signal: AbortSignal
  readonly terminal: Terminal | undefined
  readonly progress: ProgressBar | undefined
}

async function call({ adapter }: ModeSite, line: CallLine, parts: CallParts): Promise<CallAnswer> {
  const { entry, title, yes } = line
  const { args, signal, terminal, progress } = parts
  const context: Partial<CallContext> = {
    client: "command-line",
    signal,
    // What asks a person can be asked here, or else is told so below.
    clientCapabilities: { elicitation: { form: {} } },
    ...(progress && { progress: progress.show }),
  }
  const again = (state: string, inputResponses: Responses): Promise<CallAnswer> =>
    adapter.call(entry.name, args, { ...context, requestState: state, inputResponses })
  let answer = await adapter.call(entry.name, args, context)
  while (answer.kind === "asked") {
    const { askPerson } = await import("../terminal/ask-person.js")
    answer = await again(answer.state, await askPerson(answer.questions, { terminal, yes, title }))
  }
  return answer
}

async function printAnswer({ command: { name }, told }: ModeSite, answer: CallAnswer): Promise<number> {
  switch (answer.kind) {
    case "settled":
      // The person has read why, which the outcome, made for strangers, does not say.
      return wasTold(answer.outcome, told) ? 1 : printOutcome(name, answer.outcome)
    case "unknown":
      return printOutcome(name, { ok: false, message: `action "${answer.name}" is gone`, code: "not_available" })
    case "asked":
    case "incapable":
      return printOutcome(name, { ok: false, message: "a person has to be asked, and cannot be", code: "declined" })
  }
}

/** Arguments as a call takes them, by field. */
type Arguments = Readonly<Record<string, unknown>>

/** What is piped in; reads it all. `undefined` where nothing is. */
type ReadPiped = () => Promise<string | undefined>

/**
 * Puts the arguments of a call together. Flags go before `--json`, which goes before what is piped in. That is read where
 * `--json -` says so, as the text of the field `context` where the action has one and nothing else gives it, and else as a
 * JSON object where no argument was given.
 *
 * @throws CliError `invalid_usage` when something is no JSON, missing, or no field of the action.
 */
async function readArguments(line: CallLine, readPiped: ReadPiped): Promise<Arguments> {
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
  const value = parseJsonText(text, from, hint)
  if (isRecord(value)) return value
  throw invalidUsage(`${from} is ${Array.isArray(value) ? "a JSON list" : `the JSON value ${shorten(text)}`}: ${hint}`)
}

function parseJsonText(text: string, from: string, hint: string): unknown {
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
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

const SHOWN = 120

/**
 * Reads what is piped into the process, to its end; `undefined` where it has a terminal, or nothing that could be read.
 *
 * @throws CliError `invalid_usage` when it is more than `maxBytes`.
 */
async function readPiped(maxBytes: number): Promise<string | undefined> {
  const { stdin } = process
  if (stdin.isTTY || !isSource()) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stdin) {
    size += chunk.length
    if (size > maxBytes) throw invalidUsage(`standard input is more than ${maxBytes} bytes: expected less`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

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

/**
 * Prints what an action answered: a string as it is, anything else as JSON, content blocks after it; a failure goes to
 * standard error.
 *
 * @returns The exit code: 0, or 1 for a failure, or 2 where the input was not what the action takes.
 */
async function printOutcome(name: string, outcome: Outcome): Promise<number> {
  if (outcome.ok) {
    await print(toText(outcome))
    return 0
  }
  const { message, code, recovery } = outcome
  if (code === "invalid_input") {
    tell(name, toLine(message.replaceAll("\n- ", " ")))
    return 2
  }
  tell(name, code === undefined ? message : `${message} (${code})`)
  if (recovery !== undefined) tell(name, recovery)
  return 1
}

function toText({ value, content = [] }: Success): string {
  const blocks = content.map((block) => (block.type === "text" ? toShown(block.text) : toJsonText(toJson(block))))
  const parts = value === undefined ? blocks : [typeof value === "string" ? toShown(value) : format(value), ...blocks]
  return parts.map((part) => (part.endsWith("\n") ? part : `${part}\n`)).join("")
}

/** For a person on several lines, for a program on one. */
function format(value: unknown): string {
  return toJsonText(toJson(value), process.stdout.isTTY ? 2 : 0)
}

/** A program gets a text as it is, a terminal what can be read of it. */
function toShown(text: string): string {
  return process.stdout.isTTY ? showText(text) : text
}
