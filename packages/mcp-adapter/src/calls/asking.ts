import type { Answers, Failure } from "@x/agentic-service"
import type { Clock } from "../runtime/host.js"
import { createSeal, type Seal } from "../runtime/seal.js"
import { createAcquaintance, type JudgingAcquaintance } from "./acquaintance.js"
import type { AskedCall, Ending } from "./active-call.js"
import { type AnswerMemory, type Begun, createAnswerMemory } from "./answer-memory.js"
import type { QuestionOptions } from "./call-limits.js"
import type { Available } from "./call-subject.js"
import { createNotes, isNote, type Notes, type QuestionNote } from "./question-note.js"

/** What questions are put and answered with. */
export interface QuestionDesk {
  /** How they are put. */
  readonly options: QuestionOptions
  /** Seals what the caller carries. */
  readonly seal: Seal<QuestionNote>
  /** Writes what is sealed, and compares what comes back. */
  readonly notes: Notes
  /** Knows what clients have last seen. */
  readonly acquaintance: JudgingAcquaintance
  /** What came of answers. */
  readonly memory: AnswerMemory
}

/** Creates a desk at which nothing has been asked. */
export function createQuestionDesk(options: QuestionOptions, clock: Pick<Clock, "now">): QuestionDesk {
  const seal = createSeal(options.secret, isNote)
  const acquaintance = createAcquaintance()
  return { options, seal, notes: createNotes(options, seal), memory: createAnswerMemory(options, clock), acquaintance }
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
  reread(found: Available, input: unknown): AskedCall | undefined
}
