import type { Answers, Failure, Questions } from "@x/agentic-service"
import { changed } from "@x/agentic-service/adapter"
import { type Path, parsePath } from "../../names/path.js"
import type { ActiveCall, AskedCall, Ending } from "../active-call.js"
import type { Available, Subject } from "../call-subject.js"
import type { Claim } from "./answer-claims.js"
import type { Begun } from "./answer-memory.js"
import {
  askedElsewhere,
  busy,
  declined,
  foreign,
  ranElsewhere,
  toBeConfirmed,
  unavailable,
  unclaimable,
  undecided,
  unseen,
} from "./consent-failures.js"
import type { QuestionDesk } from "./question-desk.js"
import { acceptedUnseen, canAsk, canBeConfirmed, type Reaction, readConsent, toQuestions } from "./question-form.js"
import { isAbout, isFor, type QuestionNote } from "./question-note.js"

/** Asks the person in front of the client before an action runs, and judges the answer. */
export interface Consent {
  /**
   * Returns the result of the answer that a call brings, if it was delivered before, even if other actions are available by
   * now. Refuses a state that is not ours, was changed, or belongs to another call.
   */
  recall(call: ActiveCall): Promise<Ending> | undefined
  /** Decides how a call continues: asked, answered, refused, or replayed. Never rejects. */
  ask(call: ActiveCall, subject: Subject, input: unknown): Promise<Asking>
}

/** The ways in which a call continues after its questions. */
export type Asking =
  | { readonly kind: "unasked" }
  | AnsweredQuestions
  /** The same answer was delivered before. */
  | { readonly kind: "replayed"; readonly ending: Promise<Ending> }
  /** A person must answer first; the answer comes back with `state`. */
  | AskedCall
  /** No person can be asked, or the person said no. */
  | { readonly kind: "refused"; readonly failure: Failure }
  /** The client could ask, but has not declared so for this request (2026-07-28, basic/index, -32021). */
  | { readonly kind: "incapable" }

/** The person's answers. */
export interface AnsweredQuestions {
  /** The discriminant. */
  readonly kind: "answered"
  /** The content of the answers. */
  readonly answers: Answers
  /** Receives the result, so that a second delivery gets the same. */
  readonly begun: Begun
  /** Compares the questions once more, right before the run. Returns the new question if its words have changed. */
  reread(found: Available, input: unknown): AskedCall | undefined
}

/** A call that may need questions. */
interface Asker {
  readonly call: ActiveCall
  /** Its checked input. */
  readonly input: unknown
  /** Whether the client was last shown another instance. */
  readonly stale: boolean
  /** The path shown in the question. It stays the first one, even when the action has moved. */
  readonly at: Path
}

/** A call, including questions and target. */
interface Case extends Asker {
  readonly subject: Subject
  /** The questions as shown; empty if the action no longer asks any. */
  readonly questions: Questions
}

/** Creates the stage that asks the person: it opens the note that a call brings, and puts a question or takes the answer. */
export function createConsent(desk: QuestionDesk): Consent {
  const { options, memory, seal, acquaintance } = desk
  const { read, put } = createPut(desk)
  const take = createTake(desk)
  const open = (call: ActiveCall): QuestionNote | undefined => {
    const { requestState } = call.context
    const note = requestState === undefined ? undefined : seal.open(requestState)
    return note !== undefined && isFor(note, call) ? note : undefined
  }
  const goOn = async (it: Case, note: QuestionNote | undefined): Promise<Asking> => {
    if (note !== undefined) return take(it, note)
    return it.call.context.requestState === undefined ? put(it) : refused(foreign(it.call))
  }
  /** Decides how a call continues if its client cannot ask. */
  const goOnUnable = async (it: Case, note: QuestionNote | undefined): Promise<Asking> => {
    // The action itself asks nothing, and is confirmed only because its instance was replaced.
    const asksAsStale = it.stale && read({ ...it, stale: false }, it.subject) === undefined
    if (asksAsStale) return refused(acquaintance.refuse(it.call, it.subject.entry))
    const byToken = options.incapable === "token" && canBeConfirmed(it.questions)
    return byToken ? withToken(it.call, await goOn(it, note)) : incapable(it.call)
  }
  const toAsker = (call: ActiveCall, { entry, redefined }: Subject, note: QuestionNote | undefined) => {
    if (note === undefined) return { call, stale: redefined || acquaintance.isStale(call, entry), at: entry.path }
    // A question that was put as stale stays stale, even if the client has read the state since.
    return { call, stale: note.stale, at: parsePath(note.at) ?? entry.path }
  }
  return {
    recall(call) {
      if (call.context.requestState === undefined) return undefined
      const note = open(call)
      return note ? memory.find(note.id) : Promise.resolve({ kind: "settled", outcome: foreign(call) })
    },
    async ask(call, subject, input) {
      const note = open(call)
      const asker: Asker = { ...toAsker(call, subject, note), input }
      const questions = read(asker, subject)
      const it: Case = { ...asker, subject, questions: questions ?? {} }
      if (questions === undefined) return note === undefined ? { kind: "unasked" } : take(it, note)
      return canAsk(call.context) ? goOn(it, note) : goOnUnable(it, note)
    },
  }
}

/**
 * The state of a question whose note a call brings back. The first one that holds counts; {@link createTake} has one transition
 * for each.
 */
type QuestionState =
  /** Its time is over. */
  | { readonly is: "expired" }
  /** The same answer was delivered before: its action has run, or runs. */
  | { readonly is: "ran"; readonly ending: Promise<Ending> }
  /** The person said no. */
  | { readonly is: "declined" }
  /** The client closed it without an answer. */
  | { readonly is: "undecided" }
  /** Another process put it, and this one cannot tell whether it has the same action. */
  | { readonly is: "elsewhere" }
  /** The call would now run another instance, or another definition. */
  | { readonly is: "changed" }
  /** The client accepted by itself, without the field that a person fills in. */
  | { readonly is: "unseen" }
  /** No answer came that fits. */
  | { readonly is: "unanswered" }
  /** The question would now have other words. */
  | { readonly is: "reworded" }
  /** The person consented to the exact action that would run, in the words that were shown. */
  | { readonly is: "answered"; readonly answers: Answers }

/** Creates the machine of a question that was put: finds its state when a call brings its note back, and moves on. */
function createTake(desk: QuestionDesk): (it: Case, note: QuestionNote) => Promise<Asking> {
  const { notes, memory, claims, acquaintance } = desk
  const { read, put } = createPut(desk)
  const stateOf = (it: Case, note: QuestionNote, reaction: Reaction): QuestionState => {
    if (note.until < Date.now()) return { is: "expired" }
    const ending = memory.find(note.id)
    if (ending !== undefined) return { is: "ran", ending }
    if (reaction === "declined") return { is: "declined" }
    if (reaction === "cancelled") return { is: "undecided" }
    const sameness = notes.compare(note, it.call, it.subject)
    return sameness === "same" ? stateOfAnswer(it, note, reaction) : { is: sameness }
  }
  const move = (it: Case, note: QuestionNote, state: QuestionState): Asking => {
    switch (state.is) {
      case "expired":
      case "unanswered":
      case "reworded":
        return put(it)
      case "changed":
        return putAnew(it)
      case "elsewhere":
        return note.again ? refused(askedElsewhere(it.call)) : put(it, true)
      case "ran":
        return { kind: "replayed", ending: state.ending }
      case "answered":
        return begin(it, note, state.answers)
      default:
        return refused(WORDS[state.is](it.call))
    }
  }
  const putAnew = (it: Case): Asking => {
    const anew = { ...it, stale: true, at: it.subject.entry.path }
    const questions = read(anew, it.subject)
    // Consent to an earlier question cannot cover an action without questions.
    return questions === undefined ? refused(changed(it.call.subject.name)) : put({ ...anew, questions })
  }
  /** Lets the action run, once for this answer. */
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
  return async (it, note) => {
    const reaction = await readConsent(it.call.context, it.questions)
    // No `await` until the answer is reserved: of two deliveries of an answer only one may begin.
    const asking = move(it, note, stateOf(it, note, reaction))
    return asking.kind === "answered" && claims !== undefined
      ? claimAnswer(asking, it.call, await claims.claim(note, it.call.context.client))
      : asking
  }
}

/** Lets an answer go on if this process has claimed it; otherwise frees its reservation, and nothing runs. */
function claimAnswer(asking: AnsweredQuestions, call: ActiveCall, claim: Claim): Asking {
  const { begun } = asking
  if (claim.is !== "claimed") {
    const failure = CLAIM_FAILURES[claim.is](call)
    begun.didNotRun({ kind: "settled", outcome: failure })
    return refused(failure)
  }
  const didNotRun: Begun["didNotRun"] = (ending) => {
    claim.release()
    begun.didNotRun(ending)
  }
  return { ...asking, begun: { ran: begun.ran, didNotRun } }
}

const CLAIM_FAILURES = { taken: ranElsewhere, full: busy, unavailable: unclaimable }

/** Finds the state of a question about the exact action that would run. */
function stateOfAnswer({ call, questions }: Case, note: QuestionNote, answers: Answers | undefined): QuestionState {
  if (Object.keys(questions).length === 0) return { is: "answered", answers: {} }
  if (answers === undefined) return acceptedUnseen(call.context) ? { is: "unseen" } : { is: "unanswered" }
  return isAbout(note, questions) ? { is: "answered", answers } : { is: "reworded" }
}

/** The failures of states in which nothing runs and nobody is asked again. */
const WORDS = { declined, undecided, unseen }

/** Creates the functions that read an action's questions and put them. */
function createPut({ options, notes, seal }: QuestionDesk) {
  return {
    read: ({ call, input, stale, at }: Asker, { action, entry: { key, definition } }: Available) =>
      toQuestions(action, input, { ...options, stale, about: { call, entry: { path: at, key, definition } } }),
    put({ call, subject, questions, stale, at }: Case, again = false): AskedCall {
      call.view.keep(options.expiryMs)
      const note = notes.write(call, { questions, about: { subject, at }, when: "before", stale, again })
      return { kind: "asked", questions, state: seal.close(note) }
    },
  }
}

/** Ends a call without running it. */
function refused(failure: Failure): Asking {
  return { kind: "refused", failure }
}

function incapable(call: ActiveCall): Asking {
  return call.context.leg.era === "modern" ? { kind: "incapable" } : refused(unavailable(call))
}

function withToken(call: ActiveCall, asking: Asking): Asking {
  return asking.kind === "asked" ? refused(toBeConfirmed(call, asking)) : asking
}
