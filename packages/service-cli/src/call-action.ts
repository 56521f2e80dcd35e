import type { Outcome, Question, Questions, Success } from "@x/agentic-service"
import { loadTrustedCheck } from "@x/agentic-service/adapter"
import type { CallAnswer, CallContext } from "@x/mcp-adapter"
import { isRecord, toJson } from "@x/tool-schemas/json"
import { CliError } from "./cli-error.js"
import type { CallLine } from "./command/command-line.js"
import {
  createProgressBar,
  findTerminal,
  type ProgressBar,
  print,
  showText,
  type Terminal,
  tell,
  toJsonText,
  toLine,
} from "./display.js"
import { type Arguments, readArguments, readPiped } from "./flags/flag.js"
import { untilSignal } from "./process-life.js"
import type { ModeSite } from "./run-options.js"

/** The most bytes that are read from standard input where nothing else is said. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024

/** Calls an action on the path that every client's call takes, asks the person where it wants to, and prints what it answers. */
export async function callAction(site: ModeSite, line: CallLine): Promise<number> {
  const { maxInputBytes = MAX_INPUT_BYTES } = site.options
  const waiting = (): void =>
    tell(
      site.command.name,
      `"${line.title}" waits for standard input: end it with Ctrl+D, or give it none with < /dev/null`,
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

/** What a person answered, by question, in the shape of MCP's elicitation results. */
type Responses = Readonly<Record<string, { readonly action: "accept" | "decline"; readonly content?: object }>>

/** How a person is asked. */
interface AskOptions {
  /** Where; `undefined` where there is no terminal. */
  readonly terminal: Terminal | undefined
  /** Whether what is only to be accepted is accepted without asking. */
  readonly yes: boolean
  /** The words the action was named with. */
  readonly title: string
}

/**
 * Puts the questions of an action to the person at the terminal, one after the other, until one is declined.
 *
 * @throws CliError `unavailable` when there is no terminal to ask on.
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

/** Under which the adapter asks whether an action is to run at all. */
const CONFIRM = "_confirm"

/** What says yes, which is for a person to say or for `--yes`; `undefined` for no. */
async function confirm(
  { message }: Question,
  { terminal, yes, title }: AskOptions,
): Promise<{ readonly confirm: true } | undefined> {
  const accepted = { confirm: true } as const
  if (yes) return accepted
  if (terminal === undefined) throw unasked(title, message, true)
  // Loaded for those who are asked.
  const prompts = await import("@clack/prompts")
  const answer = await prompts.confirm({ message: showText(message), initialValue: false, ...terminal })
  return answer === true ? accepted : undefined
}

/** The answer to one question; `undefined` when the person does not give it. */
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
  const hint = acceptable ? '"--yes" accepts it, or run it on a terminal' : "run it on a terminal"
  return new CliError("unavailable", `"${title}" asks a person before it runs ("${message}"): ${hint}`)
}

/** One thing that a person is asked for. */
interface FormField {
  /** The name its answer goes by. */
  readonly name: string
  /** What the answer is to be. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Whether it must be given. */
  readonly required: boolean
}

/** Asks for the fields of a form, one after the other; `undefined` when the person gives up. */
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
    if (typed === "") return required ? "it is needed" : undefined
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

/** What a person typed, as a value of a field's type: what is no number stays text, for the check to refuse. */
function readAnswer(schema: Readonly<Record<string, unknown>>, typed: string): unknown {
  const { type } = schema
  if (type !== "number" && type !== "integer") return typed
  const number = Number(typed)
  return typed.trim() === "" || Number.isNaN(number) ? typed : number
}
