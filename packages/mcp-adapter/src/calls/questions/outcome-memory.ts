import type { Outcome } from "@x/agentic-service"
import type { QuestionNote } from "./question-note.js"

/** The outcomes of answered questions, so that an answer delivered twice runs nothing twice. */
export interface OutcomeMemory {
  /** The outcome of a question that was answered already, or is being acted on. */
  find(id: string): Promise<Outcome> | undefined
  /**
   * Begins to act on an answer.
   *
   * @returns Takes the outcome; or `undefined` when there is no room to remember it, and so it must not run.
   */
  begin(note: Pick<QuestionNote, "id" | "until">): ((outcome: Outcome) => void) | undefined
}

/** Remembers at most so many outcomes, each for as long as its question could be answered again. */
export function createOutcomeMemory(limit: number): OutcomeMemory {
  const remembered = new Map<string, { readonly until: number; readonly outcome: Promise<Outcome> }>()
  const forgetExpired = (): void => {
    const now = Date.now()
    for (const [id, { until }] of remembered) if (until < now) remembered.delete(id)
  }
  return {
    find: (id) => remembered.get(id)?.outcome,
    begin({ id, until }) {
      forgetExpired()
      if (remembered.size >= limit) return undefined
      let settle: ((outcome: Outcome) => void) | undefined
      const outcome = new Promise<Outcome>((resolve) => {
        settle = resolve
      })
      remembered.set(id, { until, outcome })
      return settle
    },
  }
}
