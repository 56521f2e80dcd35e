import type { Principal } from "@x/agentic-service"
import type { PublishOptions as SchemaOptions } from "@x/tool-schemas"
import type { OptionRule } from "@x/tool-schemas/json"
import { type CallLimits, callLimitRules, type QuestionOptions, questionRules } from "./calls/call-limits.js"
import type { Entry, ToolEntry } from "./catalogue/entry.js"
import { type CatalogueLimits, catalogueLimitRules } from "./catalogue/listing.js"
import type { ToolNameOptions } from "./names/tool-name.js"
import type { Clock } from "./runtime/host.js"
import { type PrincipalLimits, principalLimitRules } from "./views/create-views.js"
import { type NoticeOptions, noticeRules } from "./views/notices.js"

/** How an adapter sees its service. How it is served is an option of each `serveX`. */
export interface McpAdapterOptions {
  /** The server's name. Default: the service's name; for a function of the principal `agentic-service`. */
  readonly name?: string
  /** The server's version. Default `0.0.0`. */
  readonly version?: string
  /** What a client may tell its model about the server, in a paragraph. Default: the adapter tells nothing. */
  readonly instructions?: string
  /**
   * Hides entries: asked for every list, read, call and notice, with who wants to know. Must give one answer for a
   * principal's id and scopes, whatever the time. Default: everything is allowed to everybody.
   */
  readonly allow?: (principal: Principal | undefined, entry: Entry) => boolean
  /**
   * The scopes that a caller must hold to call an action, as `principal.scopes` has them. Who lacks some may know of the
   * action: the call fails with the code `insufficient_scope`, or, over HTTP with `bearer`, is a 403 that names them, so that
   * the client asks the person for more and comes back. Must give one answer for an entry, whatever the time. Default: none.
   */
  readonly scopes?: (entry: ToolEntry) => readonly string[]
  /** How many principals' views are kept, and for how long. */
  readonly principals?: Partial<PrincipalLimits>
  /** How much is taken in. */
  readonly limits?: Partial<CatalogueLimits>
  /** How long calls may take, and how many may run. */
  readonly calls?: Partial<CallLimits>
  /** How questions to the person are put before an action runs. */
  readonly questions?: Partial<QuestionOptions>
  /** How actions are published as tools. */
  readonly publish?: PublishOptions
  /** When clients are told of changes. */
  readonly notices?: Partial<NoticeOptions>
  /** Time. Default: the host's. */
  readonly clock?: Clock
}

/** How actions are published as tools: their input schemas, and their names. */
export interface PublishOptions extends Omit<SchemaOptions, "asIs"> {
  /** How names are made. */
  readonly names?: ToolNameOptions
}

const nameRules: Record<keyof ToolNameOptions, OptionRule> = {
  separator: "text",
  maxLength: { from: 20, to: 128, whole: true },
  reserved: "any",
}

const publishRules: Record<keyof PublishOptions, OptionRule> = {
  profile: ["portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"],
  jsonText: "flag",
  names: { options: nameRules },
}

/** What each option of an adapter may be. */
export const adapterOptionRules: Record<keyof McpAdapterOptions, OptionRule> = {
  name: "text",
  version: "text",
  instructions: "text",
  allow: "function",
  scopes: "function",
  principals: { options: principalLimitRules },
  limits: { options: catalogueLimitRules },
  calls: { options: callLimitRules },
  questions: { options: questionRules },
  publish: { options: publishRules },
  notices: { options: noticeRules },
  clock: "object",
}
