import { type AgenticService, createAgenticService } from "@x/agentic-service"
import { createChatAction } from "./chat-action.js"
import type { ChatOptions } from "./chat-options.js"
import { createConversations, defaultConversationLimits } from "./conversations/create-conversations.js"
import { createForm } from "./forms/create-form.js"

/**
 * Makes a service of one action, `chat`, that asks an agent. A caller who wants to hear of progress gets the answer's text as
 * it grows; the result always has the whole of it, with sources and media as blocks beside it.
 */
export function createChatService(options: ChatOptions): AgenticService {
  const { name, input: _, conversation, ...agent } = options
  const conversations =
    conversation === "kept" ? createConversations({ ...defaultConversationLimits, ...agent.conversations }) : undefined
  return createAgenticService({
    name,
    description: agent.description,
    actions: { chat: createChatAction(agent, { form: createForm(options, name), conversations }) },
  })
}
