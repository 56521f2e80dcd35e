import { confirm, isCancel, select, text } from "@clack/prompts"
import { checkJson } from "@x/agentic-service"
import { readAnswer } from "./read-answer.js"
import type { Terminal } from "./terminal.js"

/** One thing that a person is asked for. */
export interface FormField {
  /** The name its answer goes by. */
  readonly name: string
  /** What the answer is to be. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Whether it must be given. */
  readonly required: boolean
}

/** Asks for the fields of a form, one after the other; `undefined` when the person gives up. */
export async function askForm(
  message: string,
  fields: readonly FormField[],
  terminal: Terminal,
): Promise<object | undefined> {
  terminal.output.write(`${message}\n`)
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
  const message = [title ?? field.name, description].filter((part) => typeof part === "string").join(": ")
  if (type === "boolean") return confirm({ message, initialValue: fallback === true, ...terminal })
  if (!Array.isArray(choices)) return askText(message, field, terminal)
  const options = choices.map((choice) => ({ value: String(choice), label: String(choice) }))
  return select({ message, options, ...terminal })
}

async function askText(message: string, { schema, required }: FormField, terminal: Terminal): Promise<unknown> {
  const validate = (typed = ""): string | undefined => {
    if (typed === "") return required ? "it is needed" : undefined
    const checked = checkJson(schema, readAnswer(schema, typed))
    return checked.ok ? undefined : checked.issues.map((issue) => issue.message).join(", ")
  }
  const { default: fallback } = schema
  const typed = await text({
    message,
    validate,
    ...(fallback !== undefined && { initialValue: String(fallback) }),
    ...terminal,
  })
  return typeof typed !== "string" ? typed : typed === "" ? undefined : readAnswer(schema, typed)
}
