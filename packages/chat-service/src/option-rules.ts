import { ServiceError } from "@x/agentic-service"
import { findOptionFault, type OptionRule, type OptionRules } from "@x/base"
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

/** The accepted values of an agent's options. The description is checked when it is published. */
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

/** The accepted options of {@link createChatService}. */
export const chatRules: OptionRules = {
  ...agentRules,
  ...({ name: "text", toolName: "text", when: "any", respond: "function" } satisfies Record<
    keyof ChatServiceOptions,
    OptionRule
  >),
}

/** The accepted options of an agent of {@link createAgentNetworks}. */
export const networkRules: OptionRules = { ...agentRules, id: "text", public: "flag" }

/**
 * Checks options by their rules, including those of untyped code.
 *
 * @param owner - The options' owner, for the message.
 * @throws ServiceError `invalid_definition`.
 */
export function expectOptions(owner: string, options: object, rules: OptionRules): void {
  const fault = findOptionFault(options, rules) ?? findMismatch(options)
  if (fault !== undefined) throw new ServiceError(`${owner}: ${fault}`, { code: "invalid_definition" })
}

/** Finds options that exclude each other. */
function findMismatch({
  input = "messages",
  conversation,
}: {
  readonly input?: unknown
  readonly conversation?: unknown
}) {
  if (conversation !== "client" || input === "neuro-san") return undefined
  return `option "conversation" is "client" with "input" "${input}": expected "input" to be "neuro-san", the only form with a chat_context`
}
