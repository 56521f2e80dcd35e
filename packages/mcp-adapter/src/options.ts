import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import { profileNames, type PublishOptions as SchemaOptions } from "@x/tool-schemas"
import { type CallLimits, callLimitRules, type QuestionOptions, questionRules } from "./calls/call-limits.js"
import { type TaskOptions, taskRules } from "./calls/tasks/task-options.js"
import type { Entry, ToolEntry } from "./catalogue/entry.js"
import { type CatalogueLimits, catalogueLimitRules } from "./catalogue/listing.js"
import type { ToolNameOptions } from "./names/tool-name.js"
import { type Profiles, profileRules } from "./profiles.js"
import type { Clock } from "./runtime/host.js"
import { type PrincipalLimits, principalLimitRules } from "./views/create-views.js"
import { type NoticeOptions, noticeRules } from "./views/notices.js"

/** Options of an adapter. Options of serving belong to each `serveX`. */
export interface McpAdapterOptions {
  /** The server's name. Default: the service's name, or `agentic-service` if the source is a function of the principal. */
  readonly name?: string
  /** The server's version. Default `0.0.0`. */
  readonly version?: string
  /** Instructions that a client may give its model about the server, in a paragraph. Default: none. */
  readonly instructions?: string
  /**
   * Hides entries. Called for every list, read, call and notice, with the principal that asks. It must always give the same
   * answer for the same entry and the same id and scopes of a principal. Default: everything is allowed.
   */
  readonly allow?: (principal: Principal | undefined, entry: Entry) => boolean
  /**
   * The scopes that a caller must hold in `principal.scopes` to call an action. A caller who lacks some still sees the action.
   * The call fails with the code `insufficient_scope`, or, over HTTP with `bearer`, gets a 403 that names the scopes, so that
   * the client can ask the person for more. It must always give the same answer for the same entry. Default: none.
   */
  readonly scopes?: (entry: ToolEntry) => readonly string[]
  /** Shows the service in other ways to some callers, chosen by principal and by client. */
  readonly profiles?: Profiles
  /** Limits of principals' views: how many are kept, and for how long. */
  readonly principals?: Partial<PrincipalLimits>
  /** Limits of the catalogue. */
  readonly limits?: Partial<CatalogueLimits>
  /** Limits of calls: how long they may take, and how many may run. */
  readonly calls?: Partial<CallLimits>
  /** Options of the questions that a person answers before an action runs. */
  readonly questions?: Partial<QuestionOptions>
  /** Options of the calls of `long` actions, which may outlast their requests. */
  readonly tasks?: Partial<TaskOptions>
  /** Options of publishing actions as tools. */
  readonly publish?: PublishOptions
  /** Timing of notices to clients. */
  readonly notices?: Partial<NoticeOptions>
  /** The source of time. Default: the host's clock. */
  readonly clock?: Clock
}

/** Options of publishing actions as tools: input schemas and names. */
export interface PublishOptions extends Omit<SchemaOptions, "asIs"> {
  /** Options of tool names. */
  readonly names?: ToolNameOptions
}

const nameRules: Record<keyof ToolNameOptions, OptionRule> = {
  separator: "text",
  maxLength: { from: 20, to: 128, whole: true },
  formerMaxLength: { from: 20, to: 128, whole: true },
  reserved: "any",
}

const publishRules: Record<keyof PublishOptions, OptionRule> = {
  profile: profileNames,
  jsonText: "flag",
  names: { options: nameRules },
}

/** The rules for an adapter's options. */
export const adapterOptionRules: Record<keyof McpAdapterOptions, OptionRule> = {
  name: "text",
  version: "text",
  instructions: "text",
  allow: "function",
  scopes: "function",
  profiles: { options: profileRules },
  principals: { options: principalLimitRules },
  limits: { options: catalogueLimitRules },
  calls: { options: callLimitRules },
  questions: { options: questionRules },
  tasks: { options: taskRules },
  publish: { options: publishRules },
  notices: { options: noticeRules },
  clock: "object",
}
