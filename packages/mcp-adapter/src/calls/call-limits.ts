import type { OptionRule } from "@x/tool-schemas/json"

/** How long calls may take, and how many may run. */
export interface CallLimits {
  /** How long an action may run, in milliseconds, where it names no `timeoutMs` of its own. Default 60,000. */
  readonly timeoutMs: number
  /** How long an action that was told to stop has to do so, in milliseconds, before its call is answered without it. Default 5,000. */
  readonly graceMs: number
  /** How long an action that has reported progress once may be silent, in milliseconds. Default 30,000. */
  readonly idleMs: number
  /**
   * How often a caller that asked for progress hears that the call goes on, in milliseconds, where the action reports none
   * itself. Default 10,000: clients give up after 60,000, unless they hear something.
   */
  readonly heartbeatMs: number
  /** How many calls of one client may run at once. Default 4. */
  readonly running: number
  /** How many more of its calls may wait; further ones are refused with `busy`. Default 32. */
  readonly waiting: number
  /**
   * Whether changes of one service run beside each other: with `serial` they run one at a time, with read-only actions
   * beside them, and one that is stuck lets the next begin. Default `parallel`.
   */
  readonly changes: "parallel" | "serial"
  /** What becomes of a call whose action is hidden or unlinked while it runs: `drain` lets it finish. Default `drain`. */
  readonly hidden: "drain" | "abort"
}

/** The limits used where none are given. */
export const defaultCallLimits: CallLimits = {
  timeoutMs: 60_000,
  graceMs: 5_000,
  idleMs: 30_000,
  heartbeatMs: 10_000,
  running: 4,
  waiting: 32,
  changes: "parallel",
  hidden: "drain",
}

/** How questions to the person are put. */
export interface QuestionOptions {
  /** How long an answer may take, in milliseconds. Default 600,000. */
  readonly expiryMs: number
  /** How many answers of one client are remembered at once, so that none is acted on twice. Default 1,000. */
  readonly remembered: number
  /**
   * How many characters of what came of its answers are kept for one client, for those that are delivered again. Beyond
   * that, of the oldest only that they ran. Default 1,000,000.
   */
  readonly rememberedChars: number
  /** Whether every action that is marked `destructive` asks before it runs, also where its author does not. Default `false`. */
  readonly destructive: boolean
  /**
   * What becomes of a call that a person would have to confirm where the client cannot ask. Default `refuse`. `token`: the
   * answer gives the question and a token, with which `run_action` runs that call once. Nothing but the model stands between
   * the two, which can answer by itself: it is a second thought, no consent.
   */
  readonly incapable: "refuse" | "token"
  /**
   * What seals the question while the caller holds it; at least 32 bytes. Several processes that serve the same clients share one,
   * and then say by `answeredBy` who takes an answer. Default: random.
   */
  readonly secret: Uint8Array
  /**
   * Which process takes an answer; to be given with a shared `secret`. Default `asker`: only the process that asked takes it; one
   * that did not asks again, once, so that an answer runs at most once. `any`: every process that shares the secret takes it,
   * where it has the same thing by an author's `id`, or at the root or behind a fixed link; until processes remember answers
   * together, one answer that is delivered to several of them runs once in each, and again after a restart.
   */
  readonly answeredBy: "asker" | "any"
}

/** The options used where none are given. */
export function defaultQuestionOptions(): QuestionOptions {
  return {
    expiryMs: 600_000,
    remembered: 1_000,
    rememberedChars: 1_000_000,
    destructive: false,
    incapable: "refuse",
    secret: crypto.getRandomValues(new Uint8Array(32)),
    answeredBy: "asker",
  }
}

/** What each limit of calls may be. */
export const callLimitRules: Record<keyof CallLimits, OptionRule> = {
  timeoutMs: { from: 0 },
  graceMs: { from: 0 },
  idleMs: { from: 0 },
  heartbeatMs: { from: 1 },
  running: { from: 1, whole: true },
  waiting: { from: 0, whole: true },
  changes: ["parallel", "serial"],
  hidden: ["drain", "abort"],
}

/** What each option of questions may be. */
export const questionRules: Record<keyof QuestionOptions, OptionRule> = {
  expiryMs: { from: 1 },
  remembered: { from: 1, whole: true },
  rememberedChars: { from: 0 },
  destructive: "flag",
  incapable: ["refuse", "token"],
  secret: "object",
  answeredBy: ["asker", "any"],
}
