import { ServiceError } from "@x/agentic-service"
import { findOptionFault, type OptionRule, type OptionRules } from "@x/tool-schemas/json"
import type { AgentOptions, ChatForms, ChatLimits, ChatServiceOptions, ConversationLimits } from "./chat-options.js"

const COUNT = { from: 1, whole: true } as const

const limits: Record<keyof ChatLimits, OptionRule> = { message: COUNT, messages: COUNT, answer: COUNT }

const conversations: Record<keyof ConversationLimits, OptionRule> = {
  max: COUNT,
  perPrincipal: COUNT,
  idleMs: { from: 1 },
  messages: COUNT,
  characters: COUNT,
}

/** What an agent may say of itself; the description is looked at where it is published. */
const agentRules: Record<keyof AgentOptions | keyof ChatForms | "respond", OptionRule> = {
  title: "text",
  description: "text",
  readOnly: "flag",
  destructive: "flag",
  idempotent: "flag",
  openWorld: "flag",
  conversations: { options: conversations },
  limits: { options: limits },
  slyDataBack: "any",
  timeoutMs: { from: 0 },
  input: ["messages", "text", "neuro-san"],
  conversation: ["none", "kept", "client"],
  respond: "function",
}

/** What {@link createChatService} may be given. */
export const chatRules: OptionRules = {
  ...agentRules,
  ...({ name: "text", toolName: "text", when: "any", respond: "function" } satisfies Record<
    keyof ChatServiceOptions,
    OptionRule
  >),
}

/** What an agent of {@link createAgentNetworks} may be. */
export const networkRules: OptionRules = { ...agentRules, public: "flag" }

/**
 * Refuses options that are none, or cannot be, also from code without types.
 *
 * @param owner - Whose options they are, for the message.
 * @throws ServiceError `invalid_definition`.
 */
export function expectOptions(owner: string, options: object, rules: OptionRules): void {
  const fault = findOptionFault(options, rules) ?? findMismatch(options)
  if (fault !== undefined) throw new ServiceError(`${owner}: ${fault}`, { code: "invalid_definition" })
}

/** What each may be, but not together. */
function findMismatch({
  input = "messages",
  conversation,
}: {
  readonly input?: unknown
  readonly conversation?: unknown
}) {
  if (conversation !== "client" || input === "neuro-san") return undefined
  return `option "conversation" is "client" and "input" is "${input}": expected "neuro-san", which alone has a place for it`
}
