import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import type { Shows } from "./frames/frame.js"
import type { CountTokens } from "./tokens.js"

/** What a live view, or a recording, shows of the application's own: `true` is all of it. Default: nothing. */
export type Show = boolean | Partial<Shows>

/** Whose view of an adapter is looked at, and how much of it is shown. */
export interface WatchOptions {
  /**
   * Whether the arguments and results of calls and the values of states are shown. Default: none of them, since whoever looks
   * need not be whoever may read them.
   */
  readonly show?: Show
  /**
   * Whose view is looked at, where principals have different ones; nothing of other views is shown. Default: the view of who
   * is not signed in. Where everybody has the same view, a principal is shown its own calls in it, and the default is shown all.
   */
  readonly principal?: Principal
}

/** How a live view is served. */
export interface LiveViewOptions extends WatchOptions {
  /** Where it is, as a URL path. Default `/live`. */
  readonly path?: string
  /** Whether calls can be tried from it. Default `true`. */
  readonly calls?: boolean
  /** How many may look at once. Default 20. */
  readonly maxViewers?: number
  /** Counts tokens. Default: those of `o200k_base` where `js-tiktoken` is installed, else a fourth of the characters. */
  readonly countTokens?: CountTokens
}

/** What each of {@link LiveViewOptions} may be. */
export const liveViewRules: Readonly<Record<keyof LiveViewOptions, OptionRule>> = {
  show: { options: { arguments: "flag", results: "flag", values: "flag" }, or: "flag" },
  principal: "object",
  path: "text",
  calls: "flag",
  maxViewers: { from: 1, whole: true },
  countTokens: "function",
}

/** What is shown, each by itself. */
export function toShows(show: Show = false): Shows {
  const all = show === true
  const { arguments: args = all, results = all, values = all } = typeof show === "object" ? show : {}
  return { arguments: args, results, values }
}
