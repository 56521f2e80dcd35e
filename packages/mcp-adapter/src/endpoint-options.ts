import type { OptionRule } from "@x/tool-schemas/json"
import { type ExposureFor, type ExposureName, exposureNames } from "./exposures/exposure.js"
import { type StateMode, stateModes } from "./exposures/state-mode.js"
import { type WaitForOptions, waitForRules } from "./exposures/wait-for.js"
import { type CatchUpOptions, catchUpRules, type SettleOptions, settleRules } from "./handlers/catch-up.js"
import type { Extension } from "./handlers/extension.js"

/** How one server shows an adapter; every `serveX` takes these. */
export interface EndpointOptions {
  /**
   * Which tools are listed. Default `dynamic`: what can be called now, with a notice of each change. `stable`: everything
   * that is known, always, for clients that keep the list they saw first, and for prompt caches; what cannot be called now
   * says why when it is called. `meta`: a few fixed tools that find actions and run them, for hosts that take few tools.
   * Whatever is listed, every known action can be called by its name.
   */
  readonly exposure?: ExposureName
  /**
   * Chooses the exposure of a legacy connection by what its client says it is, such as `recommendExposure`, which goes by
   * what is known of the client. Default: every client is shown `exposure`. Without sessions nobody says what they are.
   */
  readonly exposureFor?: ExposureFor
  /** Which tools of the adapter's own stand beside the actions, and how long a page of the list is. */
  readonly tools?: ToolOptions
  /** How states reach the client. Default `both`: as resources and through the tool `get_state`. */
  readonly states?: StateMode
  /**
   * Where the tools and states of linked services are. Default `namespaced`: here, under names that begin with their path.
   * `endpoints`: each service has an endpoint of its own at `<path>/links/<path of links>`, under plain names, and its tool
   * `list_links` tells where the others are. It takes HTTP; elsewhere they stay namespaced, with a diagnostic.
   */
  readonly links?: "namespaced" | "endpoints"
  /** What a result says, and how much. */
  readonly results?: ResultOptions
  /**
   * The rest of MCP on the same server: prompts, completion, logging, tools and resources of your own. Of several, the first is
   * asked before the others, and capabilities and notices are put together. Default: nothing.
   */
  readonly extension?: Extension | readonly Extension[]
}

/** Which tools of the adapter's own an endpoint has. */
export interface ToolOptions {
  /** Whether there is `run_action`, for clients that never list again; `meta` always has it. Default `true`. */
  readonly runAction?: boolean
  /**
   * Whether, and how, there is `wait_for`, with which a model waits until a state fulfils a condition. It counts for no limit
   * of running calls. Default `false`.
   */
  readonly waitFor?: boolean | WaitForOptions
  /** Whether there is `list_links`. Default `true`. */
  readonly listLinks?: boolean
  /** The most items on a page of a list, of tools as of resources. Default 1,000. */
  readonly pageSize?: number
}

/** What the results of an endpoint say. */
export interface ResultOptions {
  /**
   * The most characters of text in a tool's result. What is longer is shortened, and says so; structured content is shortened
   * with it where its schema still holds, and else stays whole. More than the default, which hosts take, is told to those that
   * can be told (`anthropic/maxResultSizeChars`). Default 50,000.
   */
  readonly maxChars?: number
  /**
   * The most characters of a tool's result in all, as JSON, what is not text included. From a larger one the largest blocks, and
   * lists, texts and members of its structured content are left out, which it says; what an output schema asks for whole is sent
   * whole. It stays a success: for an error the call would be made again. Default 10,000,000.
   */
  readonly wholeChars?: number
  /**
   * Whether, and how, the result of a call says what can be called now and could not before, what went, and which states
   * have other values, all since the call began. Default `true`: within 2,000 characters.
   */
  readonly catchUp?: boolean | Partial<CatchUpOptions>
  /** Makes calls of changing actions wait until the application has come to rest. Default: they do not. */
  readonly settle?: SettleOptions
}

const toolRules: Record<keyof ToolOptions, OptionRule> = {
  runAction: "flag",
  waitFor: { options: waitForRules, or: "flag" },
  listLinks: "flag",
  pageSize: { from: 1, whole: true },
}

const resultRules: Record<keyof ResultOptions, OptionRule> = {
  maxChars: { from: 1, whole: true },
  wholeChars: { from: 1, whole: true },
  catchUp: { options: catchUpRules, or: "flag" },
  settle: { options: settleRules },
}

/** What each option of an endpoint may be; a border adds the rules of its own. */
export const endpointOptionRules: Record<keyof EndpointOptions, OptionRule> = {
  exposure: exposureNames,
  exposureFor: "function",
  tools: { options: toolRules },
  states: stateModes,
  links: ["namespaced", "endpoints"],
  results: { options: resultRules },
  extension: "any",
}
