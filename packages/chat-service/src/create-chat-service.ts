import {
  type ActionDeclaration,
  content,
  createAgenticService,
  type ExecuteContext,
  type Failed,
  fail,
  type OwnService,
} from "@x/agentic-service"
import type { CheckedActionOptions } from "@x/agentic-service/adapter"
import { createTelling, gatherAnswer, isFailed, toBlocks, toPieces } from "./answer.js"
import {
  type AgentOptions,
  type ChatMessage,
  type ChatOptions,
  type ChatServiceOptions,
  createChatRequest,
  defaultChatLimits,
  defaultConversationLimits,
  type RequestLimits,
  type Respond,
  type RespondContext,
} from "./chat-options.js"
import { type Conversation, type Conversations, createConversations } from "./conversations.js"
import { type ChatInput, checkMessages } from "./forms/chat-form.js"
import { type AgentForm, createForm } from "./forms/create-form.js"
import { chatRules, expectOptions } from "./option-rules.js"

/**
 * Creates a service with one action, `chat`, that asks an agent. A caller with a progress token receives the answer's text as
 * it grows. The result always contains the complete answer, with sources and media as content blocks.
 *
 * @throws ServiceError `invalid_definition` for an unknown or invalid option.
 * @example
 * ```ts
 * import { createChatService } from "@x/chat-service"
 *
 * const guide = createChatService({ name: "guide", description: "Greets", respond: ({ text }) => `Hello, ${text}` })
 * console.log(await guide.execute("chat", { messages: [{ role: "user", content: "Ann" }] }))
 * ```
 */
export function createChatService(options: ChatOptions): OwnService {
  expectOptions(`chat "${options.name}"`, options, chatRules)
  const { name, input: _, conversation, ...agent } = options
  const conversations =
    conversation === "kept" ? createConversations({ ...defaultConversationLimits, ...agent.conversations }) : undefined
  return createAgenticService({
    name,
    description: agent.description,
    actions: { chat: createChatAction(agent, { form: createForm(options, name), conversations }) },
  })
}

/** The options of an agent behind an action. */
interface ChatActionOptions extends AgentOptions, Pick<ChatServiceOptions, "toolName" | "when"> {
  /** Answers a request. */
  readonly respond: Respond<ExecuteContext & RespondContext>
}

/** An agent's form and conversations. */
interface ChatActionParts {
  /** The form of requests. */
  readonly form: AgentForm
  /** The kept conversations, if any. */
  readonly conversations: Conversations | undefined
}

/** Declares the action that asks an agent. */
export function createChatAction(
  options: ChatActionOptions,
  { form, conversations }: ChatActionParts,
): ActionDeclaration {
  const { respond, limits: some, conversations: _, timeoutMs, slyDataBack = [], ...about } = options
  const limits = { ...defaultChatLimits, ...some }
  const execute: CheckedActionOptions["execute"] = async (input, context) => {
    const read = form.read(input)
    const turn = toTurn(read, { conversations, owner: context.principal?.id, limits })
    if ("ok" in turn) return turn
    const { conversation, sent, messages } = turn
    const { signal } = context
    const telling = createTelling(context.progress, read.hears, limits.answer)
    const answer = await respond(createChatRequest({ ...read.request, messages }), { ...context, tell: telling.inside })
    if (isFailed(answer)) return answer
    const { structured } = form
    const how = { signal, onText: telling.text, limit: limits.answer, structured, slyDataBack }
    const gathered = await gatherAnswer(toPieces(answer), how)
    const { text, extras, slyData } = gathered
    conversation?.add([...sent, { role: "assistant", content: text }])
    const value = form.toValue(gathered, { conversation, input, inside: telling.told })
    const blocks = [...(value === undefined ? [{ type: "text" as const, text }] : []), ...toBlocks(extras)]
    return content(value, blocks, Object.keys(slyData).length > 0 ? { meta: { [SLY_DATA]: slyData } } : {})
  }
  const { output } = form
  return {
    kind: "action",
    options: {
      ...about,
      ...(timeoutMs !== undefined && { timeoutMs }),
      input: form.schema,
      ...(output && { output }),
      execute,
    },
  }
}

/** The key in `_meta` for returned sly data, which programs read and models do not see. */
const SLY_DATA = "neuro-san/sly_data"

/** The messages of a call. */
interface AgentTurn {
  /** The kept conversation, if any. */
  readonly conversation: Conversation | undefined
  /** The new messages. */
  readonly sent: readonly ChatMessage[]
  /** All messages. */
  readonly messages: readonly ChatMessage[]
}

function toTurn(
  { request, handle }: ChatInput,
  agent: {
    readonly conversations: Conversations | undefined
    readonly owner: string | undefined
    readonly limits: RequestLimits
  },
): AgentTurn | Failed {
  const conversation = agent.conversations?.open(handle, agent.owner)
  if (agent.conversations !== undefined && conversation === undefined) return unknownConversation
  // Clients that always send the whole conversation must not have it duplicated.
  const sent = handle === undefined ? request.messages : request.messages.slice(-1)
  const messages = [...(conversation?.messages ?? []), ...sent]
  return checkMessages(sent, agent.limits) ?? { conversation, sent, messages }
}

/** Unknown, expired and other owners' handles get the same answer, so that callers cannot tell which it is. */
const unknownConversation: Failed = fail(
  "unknown conversation: the handle is invalid, has expired or belongs to another caller",
  {
    code: "unknown_conversation",
    recovery: 'call again without "conversation" to start a new one',
  },
)
