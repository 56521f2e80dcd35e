import type { Host } from "../../runtime/host.js"
import { createSeal, type Seal } from "../../runtime/seal.js"
import { createAcquaintance, type JudgingAcquaintance } from "../acquaintance.js"
import type { QuestionOptions } from "../call-limits.js"
import { type AnswerClaims, createAnswerClaims } from "./answer-claims.js"
import { type AnswerMemory, createAnswerMemory } from "./answer-memory.js"
import { createNotes, isNote, type Notes, type QuestionNote } from "./question-note.js"

/** The parts that put questions and judge answers. */
export interface QuestionDesk {
  /** The options of questions. */
  readonly options: QuestionOptions
  /** Seals the notes that callers carry. */
  readonly seal: Seal<QuestionNote>
  /** Writes the notes, and compares returned ones. */
  readonly notes: Notes
  /** Remembers which instances each client saw. */
  readonly acquaintance: JudgingAcquaintance
  /** The results of answers. */
  readonly memory: AnswerMemory
  /** The claims on answers that all processes share, if there is a record store. */
  readonly claims: AnswerClaims | undefined
}

/** Creates the parts that put questions and judge answers. */
export function createQuestionDesk(
  options: QuestionOptions,
  { clock, report }: Pick<Host, "clock" | "report">,
): QuestionDesk {
  const seal = createSeal(options.secret, isNote)
  const { records } = options
  return {
    options,
    seal,
    notes: createNotes(options, seal),
    memory: createAnswerMemory(options, clock),
    claims: records && createAnswerClaims(records, options, { report, toOwner: seal.digest }),
    acquaintance: createAcquaintance(),
  }
}
