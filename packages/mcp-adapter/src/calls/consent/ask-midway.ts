import type { Answers, Ask, ExecuteContext, Failure, Reply } from "@x/agentic-service"
import { idleContext, toOutcome } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../../catalogue/entry.js"
import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
import type { ActiveCall, AskedCall, Ending } from "../active-call.js"
import type { CallContext } from "../call-context.js"
import { canAnswer, readResponses } from "../client-requests.js"
import { toActionFailed } from "../failures.js"
import type { Begun } from "./answer-memory.js"
import type { QuestionDesk } from "./question-desk.js"
import { canAsk, nameSubject, type Reaction, readAnswers } from "./question-form.js"
import { isFor } from "./question-note.js"

/**
 * Puts an action's questions to the person while it runs, and returns the answer to it. The action waits in this process: an
 * answer that reaches another process, or comes too late, is refused.
 */
export interface AskMidway {
  /** Whether the questions and requests can be put: the client declared that it answers them, and has not reached its limit of waiting ones. */
  canPut(call: ActiveCall, ask: Ask): boolean
  /** Puts a question. If no answer arrives in time, the action gets a cancellation. */
  put(call: ActiveCall, entry: ToolEntry, ask: Ask): AskedCall
  /** Takes the answer that a call brings. Returns `undefined` if it brings none to such a question. Never rejects. */
  takeUp(call: ActiveCall): Promise<TakenUp | undefined>
  /** Cancels the questions of all waiting actions. */
  close(): void
}

/** Possible continuations of a call that brings an answer. */
export type TakenUp =
  /** The question is still open. */
  | AskedCall
  /** The same answer was delivered before. */
  | { readonly kind: "replayed"; readonly ending: Promise<Ending> }
  /** No action waits for the answer. */
  | { readonly kind: "refused"; readonly failure: Failure }
  | MidwayAnswer

/** An answer for a waiting action. */
export interface MidwayAnswer {
  /** The discriminant. */
  readonly kind: "midway"
  /** The called entry. */
  readonly entry: ToolEntry
  /** Resumes the action. */
  goOn(context: ExecuteContext): Promise<Reply>
  /** Receives the result. */
  readonly begun: Begun
  /** Reopens the question when the action did not resume. */
  putBack(): void
}

/** A question with its waiting action. */
interface Waiting {
  readonly asked: AskedCall
  readonly entry: ToolEntry
  readonly ask: Ask
  readonly client: string
  readonly giveUp: () => void
  readonly over: Cancel
}

/** Creates the registry of actions that wait for answers. */
export function createAskMidway({ options, notes, seal, memory }: QuestionDesk, host: Host): AskMidway {
  const waiting = new Map<string, Waiting>()
  const countOf = (client: string): number => [...waiting.values()].filter((each) => each.client === client).length

  const takeAnswer = (call: ActiveCall, id: string, answers: Answers | "declined" | "cancelled"): TakenUp => {
    // Reading the answer takes time, so look again: of two deliveries only one resumes the action.
    const known = memory.find(id)
    if (known !== undefined) return { kind: "replayed", ending: known }
    const held = waiting.get(id)
    if (held === undefined) return { kind: "refused", failure: nobodyWaits(call) }
    const begun = memory.begin({ id, until: Date.now() + options.expiryMs }, call.context.client)
    if (begun === undefined) return { kind: "refused", failure: busy(call) }
    waiting.delete(id)
    return {
      kind: "midway",
      entry: held.entry,
      begun,
      goOn(context) {
        held.over()
        return held.ask.resume(answers, context)
      },
      putBack: () => void waiting.set(id, held),
    }
  }
  return {
    canPut({ context }, { questions, requests = {} }) {
      const asksPerson = Object.keys(questions).length > 0 || Object.keys(requests).length === 0
      return (!asksPerson || canAsk(context)) && canAnswer(context, requests) && countOf(context.client) < MOST_WAITING
    },
    put(call, entry, ask) {
      const questions = nameSubject(ask.questions, { call, entry })
      const note = notes.write(call, { questions, when: "midway", stale: false, again: false })
      const { requests } = ask
      const asked: AskedCall = { kind: "asked", questions, ...(requests && { requests }), state: seal.close(note) }
      call.view.keep(options.expiryMs)
      const giveUp = (): void => {
        over()
        waiting.delete(note.id)
        giveUpAsking(call, ask)
      }
      const over = startTimer(host, options.expiryMs, giveUp)
      waiting.set(note.id, { asked, entry, ask, client: call.context.client, giveUp, over })
      return asked
    },
    async takeUp(call) {
      const { requestState } = call.context
      const note = requestState === undefined ? undefined : seal.open(requestState)
      if (note?.when !== "midway" || !isFor(note, call)) return undefined
      const held = waiting.get(note.id)
      if (held === undefined) return { kind: "refused", failure: nobodyWaits(call) }
      const answers = await readAll(call.context, held.ask)
      return answers === undefined ? held.asked : takeAnswer(call, note.id, answers)
    },
    close() {
      for (const { giveUp } of [...waiting.values()]) giveUp()
    },
  }
}

/** Reads the answers to the questions, and the client's responses to the requests beside them. */
async function readAll(context: CallContext, { questions, requests = {} }: Ask): Promise<Reaction> {
  const answers = await readAnswers(context, questions)
  if (typeof answers !== "object") return answers
  const responses = readResponses(context, requests)
  return responses && { ...responses, ...answers }
}

/** The most questions that may wait per client. Each keeps an action, and its memory, alive. */
const MOST_WAITING = 32

/** Cancels an action's question. The action's result reaches nobody. */
export function giveUpAsking(call: ActiveCall, ask: Ask): void {
  const report = (cause: unknown): void => void toActionFailed(call, "threw", cause)
  void toOutcome(call.subject.name, ask, idleContext).catch(report)
}

function nobodyWaits({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "not_available",
    message: `no action waits for this answer: "${subject.name}" was stopped, or has continued already`,
    recovery: "read the state before you call again: the action may have done part of its work",
  }
}

function busy({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "busy",
    message: `the limit of remembered answers is reached, so "${subject.name}" still waits`,
    recovery: "repeat the call with the same answer in a minute",
  }
}
