import { confirm, isCancel, select, text } from "@clack/prompts"
import type { Question, Questions } from "@x/agentic-service"
import { checkTrustedJson } from "@x/agentic-service/adapter"
import { isRecord } from "@x/tool-schemas/json"
import { CliError } from "../cli-error.js"
import { showText, toLine } from "./display.js"
import type { Terminal } from "./terminal.js"

/** What a person answered, by question, in the shape of MCP's elicitation results. */
export type Responses = Readonly<Record<string, { readonly action: "accept" | "decline"; readonly content?: object }>>

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
export async function askPerson(questions: Questions, options: AskOptions): Promise<Responses> {
  const responses: Record<string, Responses[string]> = {}
  for (const [key, question] of Object.entries(questions)) {
    const content = await ask(question, options)
    responses[key] = content === undefined ? { action: "decline" } : { action: "accept", content }
    if (content === undefined) break
  }
  return responses
}

/** The answer to one question; `undefined` when the person does not give it. */
async function ask({ message, schema }: Question, { terminal, yes, title }: AskOptions): Promise<object | undefined> {
  const fields = fieldsOf(schema)
  const acceptable = fields.length === 0
  if (acceptable && yes) return {}
  if (terminal === undefined) throw unasked(title, message, acceptable)
  if (!acceptable) return askForm(message, fields, terminal)
  return (await confirm({ message: showText(message), initialValue: false, ...terminal })) === true ? {} : undefined
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
  const answers: Record<string, unknown> = {}
  for (const field of fields) {
    const answer = await askField(field, terminal)
    if (isCancel(answer)) return undefined
    if (answer !== undefined) answers[field.name] = answer
  }
  return answers
}

function askField(field: FormField, terminal: Terminal): Promise<unknown> {
  const { title, description, type, enum: choices, default: fallback } = field.schema
  const message = toLine([title ?? field.name, description].filter((part) => typeof part === "string").join(": "))
  if (type === "boolean") return confirm({ message, initialValue: fallback === true, ...terminal })
  if (!Array.isArray(choices)) return askText(message, field, terminal)
  const options = choices.map((choice) => ({ value: String(choice), label: toLine(String(choice)) }))
  return select({ message, options, ...terminal })
}

async function askText(message: string, { schema, required }: FormField, terminal: Terminal): Promise<unknown> {
  const validate = (typed = ""): string | undefined => {
    if (typed === "") return required ? "it is needed" : undefined
    const checked = checkTrustedJson(schema, readAnswer(schema, typed))
    return checked.ok ? undefined : toLine(checked.issues.map((issue) => issue.message).join(", "))
  }
  const { default: fallback } = schema
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
