import type { Failure } from "@x/agentic-service"
import { cleanLine } from "@x/tool-schemas/json"
import { parsePath } from "../names/path.js"
import type { ActiveCall, AskedCall, Ending } from "./active-call.js"
import type { Asking, QuestionDesk } from "./asking.js"
import type { Subject } from "./call-subject.js"
import { type Asker, type Case, createConsent, foreign, refused } from "./consent.js"
import { canAsk, canBeConfirmed, toConfirm } from "./question-form.js"
import { isFor, type QuestionNote } from "./question-note.js"

/** Puts the questions of an action to the person in front of the client, before it runs. */
export interface AskPerson {
  /**
   * What came of the answer that a call brings, where that was delivered before; whatever may be asked, or called, by now. A
   * state that is none of ours, was changed, or is another call's, is refused.
   */
  recall(call: ActiveCall): Promise<Ending> | undefined
  /** Says how a call goes on: asked, answered, refused, or answered long ago. Never rejects. */
  ask(call: ActiveCall, subject: Subject, input: unknown): Promise<Asking>
}

/** Creates what asks the person, with nothing asked yet. */
export function createAskPerson(desk: QuestionDesk): AskPerson {
  const { options, seal, memory, acquaintance } = desk
  const consent = createConsent(desk)
  const open = (call: ActiveCall): QuestionNote | undefined => {
    const { requestState } = call.context
    const note = requestState === undefined ? undefined : seal.open(requestState)
    return note !== undefined && isFor(note, call) ? note : undefined
  }
  const goOn = async (it: Case, note: QuestionNote | undefined): Promise<Asking> => {
    if (note !== undefined) return consent.take(it, note)
    return it.call.context.requestState === undefined ? consent.put(it) : refused(foreign(it.call))
  }
  /** Whether an action of its own accord asks nothing, and only its having become another is to be asked about. */
  const asksOnlyAsStale = (it: Case): boolean =>
    it.stale && consent.read({ ...it, stale: false }, it.subject) === undefined

  /** Says how a call goes on whose client cannot ask. */
  const goOnUnable = async (it: Case, note: QuestionNote | undefined): Promise<Asking> => {
    if (asksOnlyAsStale(it)) return refused(acquaintance.refuse(it.call, it.subject.entry))
    const byToken = options.incapable === "token" && canBeConfirmed(it.questions)
    return byToken ? withToken(it.call, await goOn(it, note)) : incapable(it.call)
  }

  const toAsker = (
    call: ActiveCall,
    { entry, redefined }: Subject,
    note: QuestionNote | undefined,
  ): Omit<Asker, "input"> => {
    if (note === undefined) return { call, stale: redefined || acquaintance.isStale(call, entry), at: entry.path }
    // A question that was put as stale goes on as that, though the client may have looked in the meantime.
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
      const questions = consent.read(asker, subject)
      const it: Case = { ...asker, subject, questions: questions ?? {} }
      if (questions === undefined) return note === undefined ? { kind: "unasked" } : consent.take(it, note)
      return canAsk(call.context) ? goOn(it, note) : goOnUnable(it, note)
    },
  }
}

function incapable(call: ActiveCall): Asking {
  return call.context.leg.era === "modern" ? { kind: "incapable" } : refused(unavailable(call))
}

function withToken(call: ActiveCall, asking: Asking): Asking {
  return asking.kind === "asked" ? { kind: "refused", failure: toBeConfirmed(call, asking) } : asking
}

function toBeConfirmed({ subject, target }: ActiveCall, { questions, state }: AskedCall): Failure {
  const same = target === undefined ? "the same arguments" : "the same arguments and target,"
  return {
    ok: false,
    code: "confirmation_needed",
    message: `action "${subject.name}" did not run yet: ${cleanLine(toConfirm(questions) ?? "it asks first")}`,
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
