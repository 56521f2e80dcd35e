import type { OptionRule } from "@x/base"
import { type ExposureFor, type ExposureName, exposureNames } from "./exposures/exposure.js"
import { type StateMode, stateModes } from "./exposures/state-mode.js"
import { type WaitForOptions, waitForRules } from "./exposures/wait-for.js"
import { type CatchUpOptions, catchUpRules, type SettleOptions, settleRules } from "./handlers/catch-up.js"
import type { Extension } from "./handlers/extension.js"

/** Options of a server that shows an adapter; every `serveX` takes them. */
export interface EndpointOptions {
  /**
   * The tools that are listed. Default `dynamic`: the actions that can be called now, with a notice of each change. `stable`:
   * every known action, always, for clients that keep the first list they saw and for prompt caching; an unavailable action
   * says why when it is called. `meta`: a few fixed tools that find and run actions, for hosts that allow few tools. Every
   * known action can be called by its name, listed or not.
   */
  readonly exposure?: ExposureName
  /**
   * Chooses the exposure of a legacy connection by the name and version that its client declares. `recommendExposure` does so
   * from data about known clients. Default: every client gets `exposure`. Without sessions no client declares its name.
   */
  readonly exposureFor?: ExposureFor
  /** The adapter's own tools beside the actions, and the page size of lists. */
  readonly tools?: ToolOptions
  /** The ways in which states reach the client. Default `both`: as resources and through the tool `get_state`. */
  readonly states?: StateMode
  /**
   * The place where tools and states of linked services are served. Default `namespaced`: here, under names that begin with
   * their path. `endpoints`: each service has its own endpoint at `<path>/links/<path of links>`, with plain names, and the
   * tool `list_links` gives their addresses. This needs HTTP; on other transports they stay namespaced, with a diagnostic.
   */
  readonly links?: "namespaced" | "endpoints"
  /** The content and size of results. */
  readonly results?: ResultOptions
  /**
   * The rest of MCP on the same server: prompts, completion, logging, and your own tools and resources. With several
   * extensions, the first that answers a method wins, and their capabilities and notices are combined. Default: no extension.
   */
  readonly extension?: Extension | readonly Extension[]
}

/** The adapter's own tools on an endpoint. */
export interface ToolOptions {
  /** Whether to list `run_action`, for clients that never list again. `meta` always has it. Default `true`. */
  readonly runAction?: boolean
  /**
   * Whether to list `wait_for`, with which a model waits until a state meets a condition, and its options. A waiting call does
   * not count as a running call. Default `false`.
   */
  readonly waitFor?: boolean | WaitForOptions
  /** Whether to list `list_links`. Default `true`. */
  readonly listLinks?: boolean
  /**
   * Whether calls of `long` actions are handed over. Clients that take tasks get one; others get a handle, and the tools
   * `get_task` and `cancel_task`, listed while an action is long. With `false` every caller waits for the end, and the names are
   * free. Default `true`.
   */
  readonly tasks?: boolean
  /** The most items on a page of a list, for tools and resources. Default 1,000. */
  readonly pageSize?: number
}

/** The content and size of an endpoint's results. */
export interface ResultOptions {
  /**
   * The most characters of text in a tool's result. A longer text is shortened, and says so. Structured content is shortened
   * with it if it still matches its schema, and is kept whole otherwise. A limit above the default, which hosts accept, is
   * announced to hosts that support it (`anthropic/maxResultSizeChars`). Default 50,000.
   */
  readonly maxChars?: number
  /**
   * The most characters of a whole tool result as JSON, media included. In a larger result the largest blocks, and lists, texts
   * and members of its structured content, are left out, and the result says so. Members that the output schema requires are
   * kept whole. The result stays a success, because a model repeats a call that failed. Default 10,000,000.
   */
  readonly wholeChars?: number
  /**
   * Whether the result of a call lists the actions that became available or unavailable and the states that changed since the
   * call began, and how. Default `true`: within 2,000 characters.
   */
  readonly catchUp?: boolean | Partial<CatchUpOptions>
  /**
   * The output schema of `long` actions with an `output`. Default `either`: its own schema or the handle of a call that goes on.
   * `omit` publishes none, for clients that do not take a choice (`anyOf`) there; handles are then text.
   */
  readonly longSchema?: "either" | "omit"
  /** Makes calls of changing actions wait until the application has settled. Default: they do not wait. */
  readonly settle?: SettleOptions
}

const toolRules: Record<keyof ToolOptions, OptionRule> = {
  runAction: "flag",
  waitFor: { options: waitForRules, or: "flag" },
  listLinks: "flag",
  tasks: "flag",
  pageSize: { from: 1, whole: true },
}

const resultRules: Record<keyof ResultOptions, OptionRule> = {
  maxChars: { from: 1, whole: true },
  wholeChars: { from: 1, whole: true },
  catchUp: { options: catchUpRules, or: "flag" },
  longSchema: ["either", "omit"],
  settle: { options: settleRules },
}

/** The rules for an endpoint's options; each border adds its own. */
export const endpointOptionRules: Record<keyof EndpointOptions, OptionRule> = {
  exposure: exposureNames,
  exposureFor: "function",
  tools: { options: toolRules },
  states: stateModes,
  links: ["namespaced", "endpoints"],
  results: { options: resultRules },
  extension: "any",
}
