import type { OptionRule } from "@x/base"
import type { RecordStore } from "@x/records"

/** Limits of calls: how long they may take, and how many may run. */
export interface CallLimits {
  /** Milliseconds that an action may run, unless it has its own `timeoutMs`. Default 60,000. */
  readonly timeoutMs: number
  /** Milliseconds that an action has to stop before its call is answered without it. Default 5,000. */
  readonly graceMs: number
  /** Milliseconds that an action may be silent after it has reported progress. Default 30,000. */
  readonly idleMs: number
  /**
   * Milliseconds between signs of life to a caller that asked for progress, while the action reports none. Default 10,000:
   * clients give up after 60,000 without a message.
   */
  readonly heartbeatMs: number
  /** The most calls of one client that run at once. Default 4. */
  readonly running: number
  /** The most queued calls of one client; further ones are rejected with `busy`. Default 32. */
  readonly waiting: number
  /**
   * The order of changing actions of one service. With `serial` they run one at a time, concurrently with read-only actions; a
   * stuck one lets the next begin. Default `parallel`.
   */
  readonly changes: "parallel" | "serial"
  /**
   * The treatment of a call whose action is hidden or unlinked while it runs: `drain` lets it finish, `abort` stops it. Default
   * `drain`.
   */
  readonly hidden: "drain" | "abort"
}

/** The default limits of calls. */
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

/** Options of the questions put to a person. */
export interface QuestionOptions {
  /** Milliseconds until a question expires. Default 600,000. */
  readonly expiryMs: number
  /** The most remembered answers of one client. Remembering them prevents running an answer twice. Default 1,000. */
  readonly remembered: number
  /**
   * The most characters of results that are kept for repeated answers of one client. Beyond that, older results are reduced to
   * the fact that they ran. Default 1,000,000.
   */
  readonly rememberedChars: number
  /** Whether every action marked `destructive` asks before it runs, even if its author does not ask. Default `false`. */
  readonly destructive: boolean
  /**
   * The treatment of a call that needs a confirmation if the client cannot ask. Default `refuse`. `token`: the answer contains
   * the question and a token, with which `run_action` runs that call once. Only the model stands between question and answer,
   * and it can answer by itself: this is a confirmation by the model, not consent.
   */
  readonly incapable: "refuse" | "token"
  /**
   * The key that seals questions while the caller holds them; at least 32 bytes. Processes that serve the same clients share
   * one, and must then set `answeredBy`. Default: random.
   */
  readonly secret: Uint8Array
  /**
   * The process that accepts an answer; required with a shared `secret`. Default `asker`: only the process that asked accepts
   * it. Another process asks again, once, so an answer runs at most once. `any`: every process with the secret accepts it, if
   * it has the same service: by the author's `id`, at the root, or behind a fixed link. Without `records`, an answer that
   * reaches several of them runs once in each, and again after a restart.
   */
  readonly answeredBy: "asker" | "any"
  /**
   * The record store in which processes with one `secret` claim answers, such as that of `@x/records-libsql`. Each answer then
   * runs at most once in all of them, and after a restart. If the store fails, nothing runs. The adapter does not close it.
   * Default: none.
   */
  readonly records?: RecordStore
}

/** Returns the default options, with a random secret. */
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

/** The rules for limits of calls. */
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

/** The rules for options of questions. */
export const questionRules: Record<keyof QuestionOptions, OptionRule> = {
  expiryMs: { from: 1 },
  remembered: { from: 1, whole: true },
  rememberedChars: { from: 0 },
  destructive: "flag",
  incapable: ["refuse", "token"],
  secret: "object",
  answeredBy: ["asker", "any"],
  records: "object",
}
