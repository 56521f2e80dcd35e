import type { Outcome } from "@x/agentic-service"
import type { ToolEntry } from "../catalogue/entry.js"

/** What comes of a call. The questions to a person will be a third kind (issue C). */
export type CallAnswer = SettledCall | UnknownCall

/** The name is known, and the call has an outcome, good or bad. */
export interface SettledCall {
  /** Tells the answers apart. */
  readonly kind: "settled"
  /** What the action, or a check before it, answered. */
  readonly outcome: Outcome
  /** The entry that was called; absent when the action was not available. */
  readonly entry?: ToolEntry
  /** The view's revision when the call began: what changed since can be read with {@link View.diffSince}. */
  readonly revision: number
}

/** The name never existed, or the caller may not know that it does. */
export interface UnknownCall {
  /** Tells the answers apart. */
  readonly kind: "unknown"
  /** The name as the caller gave it. */
  readonly name: string
}
