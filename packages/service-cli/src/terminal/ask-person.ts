import { confirm } from "@clack/prompts"
import type { Question, Questions } from "@x/agentic-service"
import { CliError } from "../cli-error.js"
import { isRecord } from "../flags/is-record.js"
import { askForm, type FormField } from "./ask-form.js"
import type { Terminal } from "./terminal.js"

/** What a person answered, by question, in the shape of MCP's elicitation results. */
export type Responses = Readonly<Record<string, { readonly action: "accept" | "decline"; readonly content?: object }>>

/** How a person is asked. */
export interface AskOptions {
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
  return (await confirm({ message, initialValue: false, ...terminal })) === true ? {} : undefined
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
