import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import type { Shows } from "./frames/frame.js"
import type { CountTokens } from "./tokens.js"

/** The application data that a live view or a recording contains: `true` for all. Default: none. */
export type Show = boolean | Partial<Shows>

/** Selects the watched view and the shown data. */
export interface WatchOptions {
  /**
   * Whether to show the arguments and results of calls and the values of states. Default: none, because viewers may not be
   * entitled to read them.
   */
  readonly show?: Show
  /**
   * The principal whose view to watch. Other views are never shown. Default: the view of anonymous callers. If all principals
   * share one view, a named principal sees its own calls only, and the default shows all calls.
   */
  readonly principal?: Principal
}

/** Options of a live view. */
export interface LiveViewOptions extends WatchOptions {
  /** The URL path. Default `/live`. */
  readonly path?: string
  /** Whether calls can be tried. Default `true`. */
  readonly calls?: boolean
  /** The most simultaneous viewers. Default 20. */
  readonly maxViewers?: number
  /** Counts tokens. Default: `o200k_base` if `js-tiktoken` is installed, else a quarter of the characters. */
  readonly countTokens?: CountTokens
}

/** The accepted values of each of {@link LiveViewOptions}. */
export const liveViewRules: Readonly<Record<keyof LiveViewOptions, OptionRule>> = {
  show: { options: { arguments: "flag", results: "flag", values: "flag" }, or: "flag" },
  principal: "object",
  path: "text",
  calls: "flag",
  maxViewers: { from: 1, whole: true },
  countTokens: "function",
}

/** Returns which data to show, each as a boolean. */
export function toShows(show: Show = false): Shows {
  const all = show === true
  const { arguments: args = all, results = all, values = all } = typeof show === "object" ? show : {}
  return { arguments: args, results, values }
}
