import type { Outcome, Question, Questions, Success } from "@x/agentic-service"
import { loadTrustedCheck } from "@x/agentic-service/adapter"
import { isRecord, toJson } from "@x/base"
import type { CallAnswer, CallContext } from "@x/mcp-adapter"
import { CliError } from "./cli-error.js"
import type { CallLine } from "./command/command-line.js"
import {
  createProgressBar,
  findTerminal,
  type ProgressBar,
  print,
  printMessage,
  showText,
  type Terminal,
  toJsonText,
  toLine,
} from "./display.js"
import { type Arguments, readArguments, readPiped } from "./flags/flag.js"
import { untilSignal } from "./process-life.js"
import type { ModeSite } from "./run-options.js"

/** The most bytes read from standard input by default. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024

/** Calls an action on the same path as MCP clients, asks the person its questions, and prints its result. */
export async function callAction(site: ModeSite, line: CallLine): Promise<number> {
  const { maxInputBytes = MAX_INPUT_BYTES } = site.options
  const waiting = (): void =>
    printMessage(
      site.command.name,
      `"${line.title}" waits for standard input: end it with Ctrl+D, or run the command with < /dev/null`,
    )
  const args = await readArguments(line, () => readPiped(maxInputBytes, waiting))
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

/** The parts of a call. */
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
    // Questions are asked on the terminal, or rejected below with a message.
    clientCapabilities: { elicitation: { form: {} } },
    ...(progress && { progress: progress.show }),
  }
  const again = (state: string, inputResponses: Responses): Promise<CallAnswer> =>
    adapter.call(entry.name, args, { ...context, requestState: state, inputResponses })
  let answer = await adapter.call(entry.name, args, context)
  while (answer.kind === "asked") {
    answer = await again(answer.state, await askPerson(answer.questions, { terminal, yes, title }))
  }
  return answer
}

async function printAnswer({ command: { name }, told }: ModeSite, answer: CallAnswer): Promise<number> {
  switch (answer.kind) {
    case "settled":
      // The person has already read the cause, which the outcome leaves out because it is written for any caller.
      return wasTold(answer.outcome, told) ? 1 : printOutcome(name, answer.outcome)
    case "unknown":
      return printOutcome(name, {
        ok: false,
        message: `action "${answer.name}" no longer exists`,
        code: "not_available",
      })
    case "handed":
      // The command line asks for no handing over: it waits for the end.
      return printOutcome(name, { ok: true, value: { task_id: answer.task.id, status: answer.task.status } })
    case "asked":
    case "incapable":
      return printOutcome(name, {
        ok: false,
        message: "the action asks a person, who cannot be asked here: run it on a terminal",
        code: "declined",
      })
  }
}

/**
 * Prints an action's outcome. A string is printed unchanged, any other value as JSON, followed by content blocks. A failure
 * goes to standard error.
 *
 * @returns The exit code: 0, 1 for a failure, or 2 for invalid input.
 */
async function printOutcome(name: string, outcome: Outcome): Promise<number> {
  if (outcome.ok) {
    await print(toText(outcome))
    return 0
  }
  const { message, code, recovery } = outcome
  if (code === "invalid_input") {
    printMessage(name, toLine(message.replaceAll("\n- ", " ")))
    return 2
  }
  printMessage(name, code === undefined ? message : `${message} (${code})`)
  if (recovery !== undefined) printMessage(name, recovery)
  return 1
}

function toText({ value, content = [] }: Success): string {
  const blocks = content.map((block) => (block.type === "text" ? toShown(block.text) : toJsonText(toJson(block))))
  const parts = value === undefined ? blocks : [typeof value === "string" ? toShown(value) : format(value), ...blocks]
  return parts.map((part) => (part.endsWith("\n") ? part : `${part}\n`)).join("")
}

/** Formats JSON on several lines for a person, on one for a program. */
function format(value: unknown): string {
  return toJsonText(toJson(value), process.stdout.isTTY ? 2 : 0)
}

/** Passes text to a program unchanged; makes control characters visible on a terminal. */
function toShown(text: string): string {
  return process.stdout.isTTY ? showText(text) : text
}

/** A person's answers by question, as MCP elicitation results. */
type Responses = Readonly<Record<string, { readonly action: "accept" | "decline"; readonly content?: object }>>

/** Options for asking a person. */
interface AskOptions {
  /** The terminal, if any. */
  readonly terminal: Terminal | undefined
  /** Whether confirmations are accepted without asking. */
  readonly yes: boolean
  /** The called name. */
  readonly title: string
}

/**
 * Asks the person at the terminal an action's questions, one after the other, until one is declined.
 *
 * @throws CliError `unavailable` without a terminal.
 */
async function askPerson(questions: Questions, options: AskOptions): Promise<Responses> {
  const responses: Record<string, Responses[string]> = {}
  for (const [key, question] of Object.entries(questions)) {
    const content = key === CONFIRM ? await confirm(question, options) : await ask(question, options)
    responses[key] = content === undefined ? { action: "decline" } : { action: "accept", content }
    if (content === undefined) break
  }
  return responses
}

/** The key under which the adapter asks whether to run an action. */
const CONFIRM = "_confirm"

/** Returns an acceptance given by the person or `--yes`; `undefined` if the person declined. */
async function confirm(
  { message }: Question,
  { terminal, yes, title }: AskOptions,
): Promise<{ readonly confirm: true } | undefined> {
  const accepted = { confirm: true } as const
  if (yes) return accepted
  if (terminal === undefined) throw unasked(title, message, true)
  // Imported only if it is used.
  const prompts = await import("@clack/prompts")
  const answer = await prompts.confirm({ message: showText(message), initialValue: false, ...terminal })
  return answer === true ? accepted : undefined
}

/** Returns the answer to one question; `undefined` if the person declines. */
async function ask({ message, schema }: Question, { terminal, title }: AskOptions): Promise<object | undefined> {
  if (terminal === undefined) throw unasked(title, message, false)
  return askForm(message, fieldsOf(schema), terminal)
}

function fieldsOf(schema: Question["schema"]): readonly FormField[] {
  if (!isRecord(schema) || !isRecord(schema["properties"])) return []
  const { properties, required } = schema
  const wanted: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: isRecord(field) ? field : {},
    required: wanted.includes(name),
  }))
}

function unasked(title: string, message: string, acceptable: boolean): CliError {
  const hint = acceptable ? 'accept it with "--yes", or run it on a terminal' : "run it on a terminal"
  return new CliError(`"${title}" asks a person before it runs ("${message}"): ${hint}`, { code: "unavailable" })
}

/** One field of a form. */
interface FormField {
  /** The field's name. */
  readonly name: string
  /** The schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Whether an answer is required. */
  readonly required: boolean
}

/** Asks for the fields of a form, one after the other; `undefined` if the person gives up. */
async function askForm(message: string, fields: readonly FormField[], terminal: Terminal): Promise<object | undefined> {
  terminal.output.write(`${showText(message)}\n`)
  const { isCancel } = await import("@clack/prompts")
  const answers: Record<string, unknown> = {}
  for (const field of fields) {
    const answer = await askField(field, terminal)
    if (isCancel(answer)) return undefined
    if (answer !== undefined) answers[field.name] = answer
  }
  return answers
}

async function askField(field: FormField, terminal: Terminal): Promise<unknown> {
  const { confirm, select } = await import("@clack/prompts")
  const { title, description, type, enum: choices, default: fallback } = field.schema
  const message = toLine([title ?? field.name, description].filter((part) => typeof part === "string").join(": "))
  if (type === "boolean") return confirm({ message, initialValue: fallback === true, ...terminal })
  if (!Array.isArray(choices)) return askText(message, field, terminal)
  const options = choices.map((choice) => ({ value: String(choice), label: toLine(String(choice)) }))
  return select({ message, options, ...terminal })
}

async function askText(message: string, { schema, required }: FormField, terminal: Terminal): Promise<unknown> {
  const check = await loadTrustedCheck(schema)
  const validate = (typed = ""): string | undefined => {
    if (typed === "") return required ? "an answer is required" : undefined
    const checked = check(readAnswer(schema, typed))
    return checked.ok ? undefined : toLine(checked.issues.map((issue) => issue.message).join(", "))
  }
  const { default: fallback } = schema
  const { text } = await import("@clack/prompts")
  const typed = await text({
    message,
    validate,
    ...(fallback !== undefined && { initialValue: toLine(String(fallback)) }),
    ...terminal,
  })
  return typeof typed !== "string" ? typed : typed === "" ? undefined : readAnswer(schema, typed)
}

/** Converts typed text to a field's type. Text instead of a number stays unchanged, and the check rejects it. */
function readAnswer(schema: Readonly<Record<string, unknown>>, typed: string): unknown {
  const { type } = schema
  if (type !== "number" && type !== "integer") return typed
  const number = Number(typed)
  return typed.trim() === "" || Number.isNaN(number) ? typed : number
}
