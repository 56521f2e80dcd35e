/** How questions to the person are put. */
export interface QuestionOptions {
  /** How long an answer may take, in milliseconds. Default 600,000. */
  readonly expiry: number
  /** How many questions, and the outcomes of those that were answered, are remembered at once. Default 1,000. */
  readonly remembered: number
  /** Whether every action that is marked `destructive` asks before it runs, also where its author does not. Default `false`. */
  readonly destructive: boolean
  /**
   * What becomes of a call that a person would have to confirm where the client cannot ask. Default `refuse`. `token`: the
   * answer gives the question and a token, with which `run_action` runs that call once. Nothing but the model stands between
   * the two, which can answer by itself: it is a second thought, no consent.
   */
  readonly incapable: "refuse" | "token"
  /** What seals the question while the caller holds it; at least 32 bytes. Several processes that serve the same clients share one. Default: random. */
  readonly secret: Uint8Array
}

/** The options used where none are given. */
export function defaultQuestionOptions(): QuestionOptions {
  return {
    expiry: 600_000,
    remembered: 1_000,
    destructive: false,
    incapable: "refuse",
    secret: crypto.getRandomValues(new Uint8Array(32)),
  }
}
