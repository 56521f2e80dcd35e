import type { Action, Answers, JsonSchema, Questions } from "@x/agentic-service"
import { checkJson } from "@x/agentic-service/adapter"
import { cleanLine, cleanText, isRecord, showJson } from "@x/tool-schemas/json"
import type { ToolEntry } from "../catalogue/entry.js"
import { formatPath } from "../names/path.js"
import type { ActiveCall } from "./active-call.js"
import type { CallContext } from "./call-context.js"

/** The key under which a person accepts; the questions of `ask` cannot have it, because keys begin with a letter there. */
const CONFIRM = "_confirm"

/**
 * A form with one field that has to be filled in. There are hosts that accept a form without fields by themselves, within a
 * millisecond and with no person there, and decline one with a field.
 */
const YES: JsonSchema = {
  type: "object",
  properties: { confirm: { type: "boolean", title: "Yes, do this" } },
  required: ["confirm"],
}

/** What decides whether a person is asked, and names what they are asked about. */
export interface QuestionPolicy {
  /** Whether every destructive action asks. */
  readonly destructive: boolean
  /** Whether the client last listed or read another thing under this name; a destructive action asks then. */
  readonly stale: boolean
  /** The call that is asked about. */
  readonly about: QuestionSubject
}

/** What a question names. */
export interface QuestionSubject {
  /** The call, with its arguments as they came. */
  readonly call: Pick<ActiveCall, "args">
  /** The action. */
  readonly entry: Pick<ToolEntry, "path" | "key" | "definition">
}

/** Returns what a person is asked before an action runs on this input; `undefined` where nothing is. */
export function toQuestions(action: Action, input: unknown, policy: QuestionPolicy): Questions | undefined {
  const { destructive, stale, about } = policy
  const asksByPolicy = action.hints.destructive === true && (destructive || stale)
  const confirm = action.confirm?.(input) ?? (asksByPolicy ? fallback(action) : undefined)
  const questions = {
    ...(confirm !== undefined && { [CONFIRM]: { message: confirm, schema: YES } }),
    ...action.ask?.(input),
  }
  return Object.keys(questions).length > 0 ? nameSubject(questions, about, stale) : undefined
}

function fallback({ title, description }: Action): string {
  return `Do this? ${title ?? description}`
}

/**
 * Adds to each question which action it is about and with which arguments, and removes what a person cannot see from its words: a
 * yes is to what is shown.
 *
 * @param stale - Whether to say that it is not what was listed, read or asked about before.
 */
export function nameSubject(
  questions: Questions,
  { call: { args }, entry }: QuestionSubject,
  stale = false,
): Questions {
  const { title } = entry.definition
  const name = formatPath([...entry.path, entry.key])
  const action = cleanLine(title === undefined || title === name ? name : `${title} (${name})`)
  const given = Object.keys(args).length === 0 ? "" : `\nArguments: ${cleanLine(showJson(args, SHOWN_ARGUMENTS))}`
  const about = `\n\nAction: ${action}${given}${stale ? `\nNote: ${STALE}` : ""}`
  return Object.fromEntries(
    Object.entries(questions).map(([key, { message, schema }]) => [
      key,
      { message: `${cleanText(message).replace(FORGED, "> $&")}${about}`, schema },
    ]),
  )
}

const STALE = "this is not the one that was shown before; another has taken its place, or its definition has changed"

/** Lines of a question that look like those which are added to it: an application's data may be in its words. */
const FORGED = /^[^\S\n]*(Action|Arguments|Note):/gm

/** How many characters of the arguments a question shows. */
const SHOWN_ARGUMENTS = 600

/** What came back: all answers, a no, or nothing that could be one; then the person is asked again. */
export type Reaction = Answers | "declined" | "cancelled" | undefined

/** Reads what came back for each question, whatever its key: a foreign action's may be any. What is missing or does not fit is no answer. */
export async function readAnswers({ inputResponses = {} }: CallContext, questions: Questions): Promise<Reaction> {
  const answers: Record<string, unknown> = {}
  for (const [key, { schema }] of Object.entries(questions)) {
    const response = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
    const answer = await readAnswer(response, schema)
    if (typeof answer !== "object") return answer
    answers[key] = answer.content
  }
  return answers
}

/** Reads what came back for {@link toQuestions}; an acceptance is none of the action's answers, and without it there are none. */
export async function readConsent(context: CallContext, questions: Questions): Promise<Reaction> {
  const read = await readAnswers(context, questions)
  if (typeof read !== "object" || !Object.hasOwn(questions, CONFIRM)) return read
  const { [CONFIRM]: confirmed, ...answers } = read
  return saysYes(confirmed) ? answers : "declined"
}

async function readAnswer(
  response: unknown,
  schema: JsonSchema,
): Promise<{ readonly content: unknown } | Exclude<Reaction, Answers>> {
  if (!isRecord(response)) return undefined
  if (response["action"] === "cancel") return "cancelled"
  if (response["action"] !== "accept") return "declined"
  const { content = {} } = response
  return (await checkJson(schema, content)).ok ? { content } : undefined
}

function saysYes(content: unknown): boolean {
  return isRecord(content) && content["confirm"] === true
}

/** Whether somebody, or something, accepted and left out what a person would have had to fill in. */
export function acceptedUnseen({ inputResponses = {} }: CallContext): boolean {
  const response = inputResponses[CONFIRM]
  if (!isRecord(response) || response["action"] !== "accept") return false
  const { content } = response
  return !isRecord(content) || content["confirm"] === undefined
}

/** What asks for more than a yes cannot be answered with a token. */
export function canBeConfirmed(questions: Questions): boolean {
  return Object.keys(questions).every((key) => key === CONFIRM)
}

/** What a person is asked to accept, if that is asked. */
export function toConfirm(questions: Questions): string | undefined {
  return questions[CONFIRM]?.message
}

/** How a call goes on that comes back with a token. */
export function confirmedBy(token: string): Pick<CallContext, "requestState" | "inputResponses"> {
  return { requestState: token, inputResponses: { [CONFIRM]: { action: "accept", content: { confirm: true } } } }
}

/** A form needs `elicitation`, empty or with `form` in it (2026-07-28, client/elicitation), and a way back. */
export function canAsk({ clientCapabilities, leg }: CallContext): boolean {
  const { elicitation } = clientCapabilities
  if (typeof elicitation !== "object" || elicitation === null) return false
  if (leg.era === "legacy" && !leg.notices) return false
  return "form" in elicitation || Object.keys(elicitation).length === 0
}
