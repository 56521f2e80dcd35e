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
 * Makes a service of one action, `chat`, that asks an agent. A caller who wants to hear of progress gets the answer's text as
 * it grows; the result always has the whole of it, with sources and media as blocks beside it.
 *
 * @throws ServiceError `invalid_definition` for an option that is none, or cannot be.
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

/** An agent as it is asked through an action. */
interface ChatActionOptions extends AgentOptions, Pick<ChatServiceOptions, "toolName" | "when"> {
  /** Answers. */
  readonly respond: Respond<ExecuteContext & RespondContext>
}

/** In which form an agent is asked, and where its conversations are. */
interface ChatActionParts {
  /** The form. */
  readonly form: AgentForm
  /** The conversations, where they are kept. */
  readonly conversations: Conversations | undefined
}

/** Declares the action by which an agent is asked. */
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

/** Where sly data comes back: programs read it, and no model does. */
const SLY_DATA = "neuro-san/sly_data"

/** What is said now, and what before. */
interface AgentTurn {
  /** Where it is kept, if it is. */
  readonly conversation: Conversation | undefined
  /** What is said now. */
  readonly sent: readonly ChatMessage[]
  /** Everything. */
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
  // Clients that always send everything must not have it all said twice.
  const sent = handle === undefined ? request.messages : request.messages.slice(-1)
  const messages = [...(conversation?.messages ?? []), ...sent]
  return checkMessages(sent, agent.limits) ?? { conversation, sent, messages }
}

/** Says the same of one that never was, has expired or is another's, so that nobody learns which. */
const unknownConversation: Failed = fail(
  "this conversation is not known here: it never was, has expired or is another's",
  {
    code: "unknown_conversation",
    recovery: 'call again without "conversation" to begin a new one',
  },
)
