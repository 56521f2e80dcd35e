import type { Answers, Ask, ExecuteContext, Failure, Reply } from "@x/agentic-service"
import { idleContext, toOutcome } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import { type Cancel, type Host, startTimer } from "../runtime/host.js"
import type { ActiveCall, AskedCall, Ending } from "./active-call.js"
import type { Begun } from "./answer-memory.js"
import type { QuestionDesk } from "./asking.js"
import { toActionFailed } from "./failures.js"
import { canAsk, nameSubject, readAnswers } from "./question-form.js"
import { isFor } from "./question-note.js"

/**
 * Puts to the person what an action asks while it runs, and takes the answer back to it. The action waits in this process:
 * an answer that comes to another, or too late, finds nobody.
 */
export interface AskMidway {
  /** Whether a question can be put: the client can show it, and does not keep too many waiting. */
  canPut(call: ActiveCall): boolean
  /** Puts a question. Where no answer comes in time, the action hears that it was cancelled. */
  put(call: ActiveCall, entry: ToolEntry, ask: Ask): AskedCall
  /** Takes up the answer that a call brings; `undefined` where it brings none to such a question. Never rejects. */
  takeUp(call: ActiveCall): Promise<TakenUp | undefined>
  /** Tells every action that waits that its question was cancelled. */
  close(): void
}

/** How a call goes on that brings an answer. */
export type TakenUp =
  /** The question still stands. */
  | AskedCall
  /** The same answer was delivered before. */
  | { readonly kind: "replayed"; readonly ending: Promise<Ending> }
  /** Nobody waits for it. */
  | { readonly kind: "refused"; readonly failure: Failure }
  | MidwayAnswer

/** An answer that the action waits for. */
export interface MidwayAnswer {
  /** Tells it apart. */
  readonly kind: "midway"
  /** The entry that was called. */
  readonly entry: ToolEntry
  /** Lets the action go on. */
  goOn(context: ExecuteContext): Promise<Reply>
  /** Is told what comes of it. */
  readonly begun: Begun
  /** The action did not go on after all: the question stands again. */
  putBack(): void
}

/** A question that an action waits with. */
interface Waiting {
  readonly asked: AskedCall
  readonly entry: ToolEntry
  readonly ask: Ask
  readonly client: string
  readonly giveUp: () => void
  readonly over: Cancel
}

/** Creates the place where actions wait for answers, with none waiting yet. */
export function createAskMidway({ options, notes, seal, memory }: QuestionDesk, host: Host): AskMidway {
  const waiting = new Map<string, Waiting>()
  const countOf = (client: string): number => [...waiting.values()].filter((each) => each.client === client).length

  const takeAnswer = (call: ActiveCall, id: string, answers: Answers | "declined" | "cancelled"): TakenUp => {
    // Reading it may have taken its time: of two deliveries of an answer only one goes on.
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
    canPut: ({ context }) => canAsk(context) && countOf(context.client) < MOST_WAITING,
    put(call, entry, ask) {
      const questions = nameSubject(ask.questions, { call, entry })
      const note = notes.write(call, { questions, when: "midway", stale: false, again: false })
      const asked: AskedCall = { kind: "asked", questions, state: seal.close(note) }
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
      const answers = await readAnswers(call.context, held.ask.questions)
      return answers === undefined ? held.asked : takeAnswer(call, note.id, answers)
    },
    close() {
      for (const { giveUp } of [...waiting.values()]) giveUp()
    },
  }
}

/** How many questions may wait for the person in front of one client: each keeps an action, and what it holds, alive. */
const MOST_WAITING = 32

/** Tells an action that its question was cancelled. What it makes of that reaches nobody. */
export function giveUpAsking(call: ActiveCall, ask: Ask): void {
  const report = (cause: unknown): void => void toActionFailed(call, "threw", cause)
  void toOutcome(call.subject.name, ask, idleContext).catch(report)
}

function nobodyWaits({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "not_available",
    message: `nobody waits for this answer any more: "${subject.name}" was given up or has gone on`,
    recovery: "look at the state before calling again: it may have done part of its work",
  }
}

function busy({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "busy",
    message: `too many of your answers are remembered, so "${subject.name}" still waits`,
    recovery: "call again in a minute, with the same answer",
  }
}
