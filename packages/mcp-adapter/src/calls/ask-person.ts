import type { Action, Answers, Failure, Questions } from "@x/agentic-service"
import type { ActiveCall, AskedCall, Ending } from "./active-call.js"
import type { AnswerMemory, Begun } from "./answer-memory.js"
import type { QuestionOptions } from "./call-limits.js"
import { acceptedUnseen, canAsk, canBeConfirmed, readConsent, toConfirm, toQuestions } from "./question-form.js"
import { isAbout, isFor, type QuestionNote, type Seal, writeNote } from "./question-note.js"

/** JSON-RPC's: what is handed back must be what was given (2026-07-28, basic/patterns/mrtr). */
const INVALID_PARAMS = -32_602

/** What questions are put and answered with. */
export interface QuestionDesk {
  /** How they are put. */
  readonly options: QuestionOptions
  /** Seals what the caller carries. */
  readonly seal: Seal<QuestionNote>
  /** What came of answers. */
  readonly memory: AnswerMemory
}

/** Puts the questions of an action to the person in front of the client, before it runs. */
export interface AskPerson {
  /**
   * What came of the answer that a call brings, where that was delivered before; whatever may be asked, or called, by now. A
   * state that is none of ours, was changed, or is another call's, is refused.
   */
  recall(call: ActiveCall): Promise<Ending> | undefined
  /** Says how a call goes on: asked, answered, refused, or answered long ago. Never rejects. */
  ask(call: ActiveCall, action: Action, input: unknown): Promise<Asking>
}

/** How a call goes on. */
export type Asking =
  | { readonly kind: "unasked" }
  | AnsweredQuestions
  /** The same answer was delivered before. */
  | { readonly kind: "replayed"; readonly ending: Promise<Ending> }
  /** A person must be asked; what comes back comes with `state`. */
  | AskedCall
  /** Nobody can be asked, or the person said no. */
  | { readonly kind: "refused"; readonly failure: Failure }
  /** The client could ask and has not said that it will (2026-07-28, basic/index, -32021). */
  | { readonly kind: "incapable" }

/** The person has answered. */
export interface AnsweredQuestions {
  /** Tells it apart. */
  readonly kind: "answered"
  /** What they filled in. */
  readonly answers: Answers
  /** Is told what comes of it, so that a second delivery gets the same. */
  readonly begun: Begun
  /** Looks again, last before it runs: the questions, where they read differently by now than what was answered. */
  reread(action: Action, input: unknown): AskedCall | undefined
}

/** Nothing asked yet. */
export function createAskPerson({ options, seal, memory }: QuestionDesk): AskPerson {
  const put = (call: ActiveCall, questions: Questions): AskedCall => {
    const note = writeNote(call, questions, { when: "before", expiryMs: options.expiryMs })
    return { kind: "asked", questions, state: seal.close(note) }
  }
  const reread = (call: ActiveCall, note: QuestionNote): AnsweredQuestions["reread"] => {
    return (action, input) => {
      const questions = toQuestions(action, input, options)
      return questions === undefined || isAbout(note, questions) ? undefined : put(call, questions)
    }
  }
  const askAgain = (call: ActiveCall, questions: Questions): Asking => {
    // Who accepts by itself would do so for ever.
    return acceptedUnseen(call.context) ? { kind: "refused", failure: unseen(call) } : put(call, questions)
  }
  const take = async (call: ActiveCall, questions: Questions, note: QuestionNote): Promise<Asking> => {
    const answers = await readConsent(call.context, questions)
    // From here to `begin` nothing may wait: of two deliveries of an answer only one may begin.
    const known = memory.find(note.id)
    if (known !== undefined) return { kind: "replayed", ending: known }
    if (answers === "declined") return { kind: "refused", failure: declined(call) }
    if (answers === "cancelled") return { kind: "refused", failure: undecided(call) }
    if (answers === undefined) return askAgain(call, questions)
    // Consent is to the words that were shown.
    if (!isAbout(note, questions)) return put(call, questions)
    const begun = memory.begin(note, call.context.client)
    if (begun === undefined) return { kind: "refused", failure: busy(call) }
    return { kind: "answered", answers, begun, reread: reread(call, note) }
  }

  const resume = async (call: ActiveCall, questions: Questions, state: string): Promise<Asking> => {
    const note = open(call, state)
    if (note === undefined) return { kind: "refused", failure: foreign(call) }
    return note.until < Date.now() ? put(call, questions) : take(call, questions, note)
  }

  const open = (call: ActiveCall, state: string): QuestionNote | undefined => {
    const note = seal.open(state)
    return note !== undefined && isFor(note, call) ? note : undefined
  }

  const goOn = async (call: ActiveCall, questions: Questions): Promise<Asking> => {
    const { requestState } = call.context
    return requestState === undefined ? put(call, questions) : resume(call, questions, requestState)
  }

  return {
    recall(call) {
      const { requestState } = call.context
      if (requestState === undefined) return undefined
      const note = open(call, requestState)
      return note ? memory.find(note.id) : Promise.resolve({ kind: "settled", outcome: foreign(call) })
    },
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

function withToken(call: ActiveCall, asking: Asking): Asking {
  return asking.kind === "asked" ? { kind: "refused", failure: toBeConfirmed(call, asking) } : asking
}

function toBeConfirmed({ subject, target }: ActiveCall, { questions, state }: AskedCall): Failure {
  const same = target === undefined ? "the same arguments" : "the same arguments and target,"
  return {
    ok: false,
    code: "confirmation_needed",
    message: `action "${subject.name}" did not run yet: ${toConfirm(questions) ?? "it asks first"}`,
    recovery: `ask the person; if they agree, call "run_action" with this name, ${same} and "confirm": ${JSON.stringify(state)}`,
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

/** The failure of a question that the client closed without an answer (2025-11-25, client/elicitation: `cancel`). */
function undecided({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "undecided",
    message: `nobody decided: the question about "${subject.name}" was closed without a yes or a no, so it did not run`,
    recovery: "ask the person whether they still want this, and call it again if they do",
  }
}

function foreign({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "invalid_input",
    message: `the answer does not belong to this call of "${subject.name}", so it did not run`,
    recovery: "call it again without the state of an earlier answer",
    refusal: { code: INVALID_PARAMS },
  }
}

function unseen({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `the client accepted for "${subject.name}" and left out the field that a person fills in, so it did not run`,
    recovery: "ask the person to do it in the application, or to have the client show them its forms",
  }
}

function busy({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "busy",
    message: `too many of your answers are remembered, so "${subject.name}" did not run`,
    recovery: "call again in a minute, with the same answer",
  }
}
