import type { Answers, Failure, Questions } from "@x/agentic-service"
import { changed } from "@x/agentic-service/adapter"
import type { Path } from "../names/path.js"
import type { ActiveCall, AskedCall } from "./active-call.js"
import type { AnsweredQuestions, Asking, QuestionDesk } from "./asking.js"
import type { Available, Subject } from "./call-subject.js"
import { acceptedUnseen, type Reaction, readConsent, toQuestions } from "./question-form.js"
import { isAbout, type QuestionNote } from "./question-note.js"

/** JSON-RPC's: what is handed back must be what was given (2026-07-28, basic/patterns/mrtr). */
const INVALID_PARAMS = -32_602

/** A call that may have to ask. */
export interface Asker {
  /** The call. */
  readonly call: ActiveCall
  /** Its checked input. */
  readonly input: unknown
  /** Whether the client last listed, read or was asked about another thing. */
  readonly stale: boolean
  /** The path that the action is named by: the one it was asked about under, wherever it is listed by now. */
  readonly at: Path
}

/** What is asked about one call, and what it would run. */
export interface Case extends Asker {
  /** What it would run. */
  readonly subject: Subject
  /** The questions as they are shown; none where nothing is asked any more. */
  readonly questions: Questions
}

/** Puts questions and judges whether an answer is consent to what would run now. */
export interface Consent {
  /** The questions of an action on this input; `undefined` where nothing is asked. */
  read(asker: Asker, found: Available): Questions | undefined
  /** Puts the questions. */
  put(it: Case): AskedCall
  /** Says how a call goes on that brings the note of an earlier question. Never rejects. */
  take(it: Case, note: QuestionNote): Promise<Asking>
}

/** Creates the judge of answers. */
export function createConsent({ options, notes, memory, seal, acquaintance }: QuestionDesk): Consent {
  const read: Consent["read"] = ({ call, input, stale, at }, { action, entry: { key, definition } }) =>
    toQuestions(action, input, { ...options, stale, about: { call, entry: { path: at, key, definition } } })
  const put = ({ call, subject, questions, stale, at }: Case, again = false): AskedCall => {
    call.view.keep(options.expiryMs)
    const note = notes.write(call, { questions, about: { subject, at }, when: "before", stale, again })
    return { kind: "asked", questions, state: seal.close(note) }
  }
  const putAnew = (it: Case): Asking => {
    const anew = { ...it, stale: true, at: it.subject.entry.path }
    const questions = read(anew, it.subject)
    // What asks nothing now is something else than what was asked about.
    return questions === undefined ? refused(changed(it.call.subject.name)) : put({ ...anew, questions })
  }
  const begin = (it: Case, note: QuestionNote, answers: Answers): Asking => {
    const { call, subject } = it
    const begun = memory.begin(note, call.context.client)
    if (begun === undefined) return refused(busy(call))
    if (note.stale) acquaintance.saw(call.view, call.context, subject.entry.path)
    const reread: AnsweredQuestions["reread"] = (found, input) => {
      const now = read({ call, input, stale: note.stale, at: it.at }, found)
      return now === undefined || isAbout(note, now) ? undefined : put({ ...it, questions: now })
    }
    return { kind: "answered", answers, begun, reread }
  }
  /** Acts on answers to what was asked about the very thing that would run. Consent is to the words that were shown. */
  const accept = (it: Case, note: QuestionNote, answers: Answers | undefined): Asking => {
    if (Object.keys(it.questions).length === 0) return begin(it, note, {})
    // Who accepts by itself would do so for ever.
    if (answers === undefined) return acceptedUnseen(it.call.context) ? refused(unseen(it.call)) : put(it)
    return isAbout(note, it.questions) ? begin(it, note, answers) : put(it)
  }
  const judge = (it: Case, note: QuestionNote, reaction: Reaction): Asking => {
    if (reaction === "declined") return refused(declined(it.call))
    if (reaction === "cancelled") return refused(undecided(it.call))
    switch (notes.compare(note, it.call, it.subject)) {
      case "same":
        return accept(it, note, reaction)
      case "changed":
        return putAnew(it)
      case "elsewhere":
        return note.again ? refused(askedElsewhere(it.call)) : put(it, true)
    }
  }
  return {
    read,
    put,
    async take(it, note) {
      if (note.until < Date.now()) return put(it)
      const reaction = await readConsent(it.call.context, it.questions)
      // From here on nothing may wait: of two deliveries of an answer only one may begin.
      const known = memory.find(note.id)
      return known === undefined ? judge(it, note, reaction) : { kind: "replayed", ending: known }
    },
  }
}

/** The end of a call that does not run. */
export function refused(failure: Failure): Asking {
  return { kind: "refused", failure }
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

/** The failure of an answer that is to another call, or that somebody changed. */
export function foreign({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "invalid_input",
    message: `the answer does not belong to this call of "${subject.name}", so it did not run`,
    recovery: "call it again without the state of an earlier answer",
    refusal: { code: INVALID_PARAMS },
  }
}

/** The failure of an answer that reached two processes in a row which did not ask for it. */
function askedElsewhere({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `the question about "${subject.name}" was put by another process of this server, so it did not run`,
    recovery:
      'ask the person to do it in the application; the operator can let any process take an answer with "questions.answeredBy", and give services an "id"',
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
