import type { Action, Answers, Failure, JsonSchema, Outcome, Questions } from "@x/agentic-service"
import { checkJson } from "@x/agentic-service/adapter"
import { formatPath } from "../names/path.js"
import type { ActiveCall } from "./active-call.js"
import type { CallContext } from "./call-context.js"
import type { QuestionOptions } from "./call-limits.js"
import { createOutcomeMemory, createSeal, isNote, type QuestionNote, toNote } from "./question-note.js"

/** Puts the questions of an action to the person in front of the client, before it runs. */
export interface AskPerson {
  /** Says how a call goes on: asked, answered, refused, or answered long ago. Never rejects. */
  ask(call: ActiveCall, action: Action, input: unknown): Promise<Asking>
}

/** How a call goes on. */
export type Asking =
  | { readonly kind: "unasked" }
  /** The person must be asked; what comes back comes with `state`. */
  | { readonly kind: "question"; readonly questions: Questions; readonly state: string }
  /** The person has answered; the outcome is to be told to `settle`, so that a second delivery gets the same. */
  | { readonly kind: "answered"; readonly answers: Answers; settle(outcome: Outcome): void }
  /** The same answer was delivered before. */
  | { readonly kind: "replayed"; readonly outcome: Promise<Outcome> }
  /** Nobody can be asked, or the person said no. */
  | { readonly kind: "refused"; readonly failure: Failure }
  /** The client could ask and has not said that it will (2026-07-28, basic/index, -32021). */
  | { readonly kind: "incapable" }

/** Nothing asked yet. */
export function createAskPerson(options: QuestionOptions): AskPerson {
  const seal = createSeal(options.secret, isNote)
  const memory = createOutcomeMemory(options.remembered)
  const put = (call: ActiveCall, questions: Questions): Asking => {
    const note = { id: crypto.randomUUID(), until: Date.now() + options.expiryMs, ...noteOf(call) }
    return { kind: "question", questions, state: seal.close(note) }
  }
  const take = async (call: ActiveCall, questions: Questions, note: QuestionNote): Promise<Asking> => {
    const answers = await readAnswers(call.context, questions)
    // From here to `begin` nothing may wait: of two deliveries of an answer only one may begin.
    const known = memory.find(note.id)
    if (known !== undefined) return { kind: "replayed", outcome: known }
    if (answers === "declined") return { kind: "refused", failure: declined(call) }
    if (answers === undefined) return put(call, questions)
    const settle = memory.begin(note)
    return settle === undefined ? { kind: "refused", failure: busy(call) } : { kind: "answered", answers, settle }
  }

  const resume = async (call: ActiveCall, questions: Questions, state: string): Promise<Asking> => {
    const note = seal.open(state)
    if (note === undefined || !isFor(note, call)) return { kind: "refused", failure: foreign(call) }
    return note.until < Date.now() ? put(call, questions) : take(call, questions, note)
  }

  const goOn = async (call: ActiveCall, questions: Questions): Promise<Asking> => {
    const { requestState } = call.context
    return requestState === undefined ? put(call, questions) : resume(call, questions, requestState)
  }

  return {
    async ask(call, action, input) {
      const questions = toQuestions(action, input, options)
      if (questions === undefined) return { kind: "unasked" }
      if (canAsk(call.context)) return goOn(call, questions)
      if (options.incapable === "token" && canBeConfirmed(questions))
        return withToken(call, await goOn(call, questions))
      return call.context.leg.era === "modern" ? { kind: "incapable" } : { kind: "refused", failure: unavailable(call) }
    },
  }
}

function noteOf({ subject, args, context, view }: ActiveCall): Omit<QuestionNote, "id" | "until"> {
  // Two services that are served alone may have an action of the same name.
  return toNote(formatPath([...view.at, subject.name]), args, context.principal)
}

function isFor(note: QuestionNote, call: ActiveCall): boolean {
  const own = noteOf(call)
  return note.principal === own.principal && note.name === own.name && note.digest === own.digest
}

/** A form needs `elicitation`, empty or with `form` in it (2026-07-28, client/elicitation), and a way back. */
function canAsk({ clientCapabilities, leg }: CallContext): boolean {
  const { elicitation } = clientCapabilities
  if (typeof elicitation !== "object" || elicitation === null) return false
  if (leg.era === "legacy" && !leg.notices) return false
  return "form" in elicitation || Object.keys(elicitation).length === 0
}

/** The answers, when all are there and fit; what is missing or does not fit is asked again. */
async function readAnswers(
  { inputResponses = {} }: CallContext,
  questions: Questions,
): Promise<Answers | "declined" | undefined> {
  const answers: Record<string, unknown> = {}
  for (const [key, question] of Object.entries(questions)) {
    const response = inputResponses[key]
    if (typeof response !== "object" || response === null || !("action" in response)) return undefined
    if (response.action !== "accept") return "declined"
    const content = "content" in response ? response.content : {}
    if (!(await checkJson(question.schema, content)).ok) return undefined
    if (key !== CONFIRM) answers[key] = content
  }
  return answers
}

/** What asks for more than a yes cannot be answered with a token. */
function canBeConfirmed(questions: Questions): boolean {
  return Object.keys(questions).every((key) => key === CONFIRM)
}

/** How a call goes on that comes back with a token. */
export function confirmedBy(token: string): Pick<CallContext, "requestState" | "inputResponses"> {
  return { requestState: token, inputResponses: { [CONFIRM]: { action: "accept", content: {} } } }
}

function withToken(call: ActiveCall, asking: Asking): Asking {
  return asking.kind === "question" ? { kind: "refused", failure: toBeConfirmed(call, asking) } : asking
}

function toBeConfirmed({ subject }: ActiveCall, { questions, state }: Extract<Asking, { kind: "question" }>): Failure {
  return {
    ok: false,
    code: "confirmation_needed",
    message: `action "${subject.name}" did not run yet: ${questions[CONFIRM]?.message ?? "it asks first"}`,
    recovery: `ask the person; if they agree, call "run_action" with this name, the same arguments and "confirm": ${JSON.stringify(state)}`,
  }
}

function unavailable({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `action "${subject.name}" asks a person before it runs, and this client cannot ask`,
    recovery: "ask the person to do it in the application, or to connect with a client that can ask (MCP elicitation)",
  }
}

function declined({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "declined",
    message: `the person was asked about "${subject.name}" and did not accept, so it did not run`,
    recovery: "do not call it again unless the person asks for it",
  }
}

function foreign({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "invalid_input",
    message: `the answer does not belong to this call of "${subject.name}", so it did not run`,
    recovery: "call it again without the state of an earlier answer",
  }
}

function busy({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "busy",
    message: `too many answers are being taken in, so "${subject.name}" did not run`,
    recovery: "call again in a minute",
  }
}

/** The key under which a person accepts; the questions of `ask` cannot have it, because keys begin with a letter there. */
const CONFIRM = "_confirm"

/** A form with nothing to fill in: all that can be done with it is to accept or to decline. */
const NOTHING: JsonSchema = { type: "object", properties: {} }

/** What a person is asked before an action runs on this input; `undefined` when nothing is. */
function toQuestions(action: Action, input: unknown, policy: { readonly destructive: boolean }): Questions | undefined {
  const confirm =
    action.confirm?.(input) ?? (policy.destructive && action.hints.destructive ? fallback(action) : undefined)
  const questions = {
    ...(confirm !== undefined && { [CONFIRM]: { message: confirm, schema: NOTHING } }),
    ...action.ask?.(input),
  }
  return Object.keys(questions).length > 0 ? questions : undefined
}

function fallback({ title, description }: Action): string {
  return `Do this? ${title ?? description}`
}
