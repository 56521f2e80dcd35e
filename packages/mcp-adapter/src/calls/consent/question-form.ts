import type { Action, Answers, JsonSchema, Questions } from "@x/agentic-service"
import { checkJson } from "@x/agentic-service/adapter"
import { cleanLine, cleanText, isRecord, showJson } from "@x/base"
import type { ToolEntry } from "../../catalogue/entry.js"
import { formatPath } from "../../names/path.js"
import type { ActiveCall } from "../active-call.js"
import type { CallContext } from "../call-context.js"

/** The key of the confirmation. Questions of `ask` cannot use it, because their keys begin with a letter. */
const CONFIRM = "_confirm"

/**
 * A form with one required field. Some hosts accept a form without fields by themselves, within a millisecond and without a
 * person, but decline one with a field.
 */
const YES: JsonSchema = {
  type: "object",
  properties: { confirm: { type: "boolean", title: "Yes, do this" } },
  required: ["confirm"],
}

/** Conditions for asking a person, with the question's subject. */
export interface QuestionPolicy {
  /** Whether every destructive action asks. */
  readonly destructive: boolean
  /** Whether the client was last shown another instance under this name; a destructive action asks then. */
  readonly stale: boolean
  /** The call in question. */
  readonly about: QuestionSubject
}

/** The subject of a question. */
export interface QuestionSubject {
  /** The call, including its arguments as received. */
  readonly call: Pick<ActiveCall, "args">
  /** The action. */
  readonly entry: Pick<ToolEntry, "path" | "key" | "definition">
}

/** Returns the questions that precede an action's run on this input. Returns `undefined` when there are none. */
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
 * Adds the action and its arguments to each question, and removes invisible characters. A person's yes covers only words that
 * they see.
 *
 * @param stale - Whether to add that another action was listed, read or asked about before.
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

const STALE = "this is not the action that was shown before: it has been replaced or redefined"

/** Lines of a question that imitate the added ones; an application's data may be part of its words. */
const FORGED = /^[^\S\n]*(Action|Arguments|Note):/gm

/** The maximum of argument characters shown in a question. */
const SHOWN_ARGUMENTS = 600

/** The person's reaction: all answers, a no, a cancellation, or none that fits; then the person is asked again. */
export type Reaction = Answers | "declined" | "cancelled" | undefined

/**
 * Reads the answer to each question by key; a foreign action's keys may be anything. A missing answer, or one that does not
 * fit, makes the result `undefined`.
 */
export async function readAnswers(
  { inputResponses = {} }: Pick<CallContext, "inputResponses">,
  questions: Questions,
): Promise<Reaction> {
  const answers: Record<string, unknown> = {}
  for (const [key, { schema }] of Object.entries(questions)) {
    const response = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
    const answer = await readAnswer(response, schema)
    if (typeof answer !== "object") return answer
    answers[key] = answer.content
  }
  return answers
}

/**
 * Reads the answers to {@link toQuestions}. The action never receives the confirmation. Without a yes the reaction is
 * `declined`.
 */
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

/** Checks whether the client accepted without the field that a person fills in. */
export function acceptedUnseen({ inputResponses = {} }: CallContext): boolean {
  const response = inputResponses[CONFIRM]
  if (!isRecord(response) || response["action"] !== "accept") return false
  const { content } = response
  return !isRecord(content) || content["confirm"] === undefined
}

/** Checks whether a token can answer the questions: they ask for a confirmation only. */
export function canBeConfirmed(questions: Questions): boolean {
  return Object.keys(questions).every((key) => key === CONFIRM)
}

/** Returns the text of the confirmation, if the questions include one. */
export function toConfirm(questions: Questions): string | undefined {
  return questions[CONFIRM]?.message
}

/** Creates the context of a call confirmed by token. */
export function confirmedBy(token: string): Pick<CallContext, "requestState" | "inputResponses"> {
  return { requestState: token, inputResponses: { [CONFIRM]: { action: "accept", content: { confirm: true } } } }
}

/**
 * Checks whether a form can be shown: this needs `elicitation`, empty or with `form` (2026-07-28, client/elicitation), and a
 * connection that can carry the answer.
 */
export function canAsk({ clientCapabilities, leg }: CallContext): boolean {
  const { elicitation } = clientCapabilities
  if (typeof elicitation !== "object" || elicitation === null) return false
  if (leg.era === "legacy" && !leg.notices) return false
  return "form" in elicitation || Object.keys(elicitation).length === 0
}
