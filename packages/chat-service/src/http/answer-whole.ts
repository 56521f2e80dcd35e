import type { Progress } from "@x/agentic-service"
import type { CallAnswer, McpAdapter } from "@x/mcp-adapter"
import type { Visitor } from "@x/mcp-adapter/fetch"
import type { RunningCall } from "./create-calls.js"
import type { Sessions } from "./create-sessions.js"
import { formatResult, toError } from "./json-rpc.js"
import type { ChatRpc } from "./read-chat-request.js"
import { toReply } from "./to-reply.js"

/** A call of an agent on its way from a request to an answer. */
export interface ChatCall extends ChatRpc, RunningCall {
  /** What is called. */
  readonly adapter: McpAdapter
  /** The tool behind `chat`. */
  readonly tool: string
  /** Where sessions find their conversations. */
  readonly sessions: Sessions
  /** Who asks. */
  readonly visitor: Visitor
}

/** Answers with the whole, in one body. */
export async function answerWhole(chat: ChatCall): Promise<Response> {
  const answer = await callAgent(chat).finally(chat.ended)
  const reply = toReply(answer)
  if (!reply.ok) return toError(chat.id, reply.error)
  const output = { messages: [{ role: "assistant", content: reply.text }] }
  const result = { output, ...(reply.sources.length > 0 && { sources: reply.sources }) }
  return new Response(formatResult(chat.id, result), { headers: { "content-type": "application/json" } })
}

/** Calls the agent through the adapter, as any client's call goes. Never rejects but where the adapter is closed. */
export async function callAgent(chat: ChatCall, progress?: (progress: Progress) => void): Promise<CallAnswer> {
  const { adapter, tool, args, session, sessions, signal, visitor } = chat
  const { principal, client } = visitor
  const call = (conversation: string | undefined): Promise<CallAnswer> => {
    const all = conversation === undefined ? args : { ...args, conversation }
    return adapter.call(tool, all, {
      ...(principal && { principal }),
      client,
      leg: { transport: "http", era: "modern", notices: false },
      signal,
      ...(progress && { progress }),
    })
  }
  const keeps = await keepsConversations(chat)
  return keeps ? sessions.within(JSON.stringify([client, session]), call) : call(undefined)
}

/** Whether the tool takes a handle. Looked up by its name: a list would be made, and searched, for every request. */
async function keepsConversations({ adapter, tool, visitor }: ChatCall): Promise<boolean> {
  const { view, release } = adapter.core.open(visitor.principal)
  try {
    await view.ready
    const resolution = view.resolve(tool)
    if (resolution.status === "unknown") return false
    return Object.hasOwn(Object(resolution.entry.definition.inputSchema["properties"]), "conversation")
  } finally {
    release()
  }
}
