import type { Progress } from "@x/agentic-service"
import type { CallAnswer, McpAdapter } from "@x/mcp-adapter"
import type { Answer, EventStream, Visitor } from "@x/mcp-adapter/fetch"
import { type ChatRpc, formatError, formatResult, type Reply, toError, toReply } from "./json-rpc.js"
import type { RunningCall, Sessions } from "./running.js"

/** A call of an agent over HTTP. */
export interface ChatCall extends ChatRpc, RunningCall {
  /** The adapter to call. */
  readonly adapter: McpAdapter
  /** The tool behind `chat`. */
  readonly tool: string
  /** The sessions with their conversations. */
  readonly sessions: Sessions
  /** The request and its response. */
  readonly visitor: Visitor
}

/** Answers with the complete answer in one body. */
export async function answerWhole(chat: ChatCall): Promise<void> {
  const answer = await callAgent(chat).finally(chat.ended)
  chat.visitor.send(toWhole(chat.id, toReply(answer, chat.closing())))
}

function toWhole(id: ChatRpc["id"], reply: Reply): Answer {
  if (!reply.ok) return toError(id, reply.error)
  const output = { messages: [{ role: "assistant", content: reply.text }] }
  const result = { output, ...(reply.sources.length > 0 && { sources: reply.sources }) }
  return { status: 200, headers: { "content-type": "application/json" }, body: formatResult(id, result) }
}

/** Calls the agent through the adapter, like any client. Rejects only if the adapter is closed. */
async function callAgent(chat: ChatCall, progress?: (progress: Progress) => void): Promise<CallAnswer> {
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
  return keeps ? sessions.within({ client, name: session }, call) : call(undefined)
}

/** Whether the tool takes a conversation handle. Resolves the name directly, because a list would be expensive per request. */
async function keepsConversations({ adapter, tool, visitor }: ChatCall): Promise<boolean> {
  const { view, release } = adapter.core.open(visitor.principal)
  try {
    await view.ready()
    const resolution = view.resolve(tool)
    if (resolution.status === "unknown") return false
    return Object.hasOwn(Object(resolution.entry.definition.inputSchema["properties"]), "conversation")
  } finally {
    release()
  }
}

/**
 * Answers with chunks as server-sent events, ended by `[DONE]`. A failure before the first chunk is a normal error response; a
 * later one is an event before the end.
 */
export async function streamAnswer(chat: ChatCall): Promise<void> {
  const { visitor, id } = chat
  let events: EventStream | undefined
  let sent = ""
  const send = (data: string): void => {
    events ??= visitor.stream()
    events.write(`data: ${data}\n\n`)
  }
  const sendChunk = (chunk: string): void => {
    sent += chunk
    send(formatResult(id, { chunk }))
  }
  const answer = await callAgent(chat, ({ text }) => text !== undefined && sendChunk(text)).finally(chat.ended)
  const reply = toReply(answer, chat.closing())
  if (!reply.ok && events === undefined) return visitor.send(toError(id, reply.error))
  if (!reply.ok) send(formatError(id, reply.error))
  // An agent may have streamed only a part of its text.
  else if (reply.text !== sent && reply.text.startsWith(sent)) sendChunk(reply.text.slice(sent.length))
  if (reply.ok && reply.sources.length > 0) send(formatResult(id, { sources: reply.sources }))
  send("[DONE]")
  events?.end()
}
