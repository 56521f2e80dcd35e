import type { Progress } from "@x/agentic-service"
import type { CallAnswer, McpAdapter } from "@x/mcp-adapter"
import { createDeferred } from "@x/mcp-adapter/binding"
import type { Visitor } from "@x/mcp-adapter/fetch"
import { type ChatRpc, formatError, formatResult, type Reply, toError, toReply } from "./json-rpc.js"
import type { RunningCall, Sessions } from "./running.js"

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
  const reply = toReply(answer, chat.closing())
  if (!reply.ok) return toError(chat.id, reply.error)
  const output = { messages: [{ role: "assistant", content: reply.text }] }
  const result = { output, ...(reply.sources.length > 0 && { sources: reply.sources }) }
  return new Response(formatResult(chat.id, result), { headers: { "content-type": "application/json" } })
}

/** Calls the agent through the adapter, as any client's call goes. Never rejects but where the adapter is closed. */
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

/**
 * Answers with chunks, as server-sent events, closed by `[DONE]`. What fails before the first chunk is an error like any other;
 * what fails later is an event of its own before the end.
 */
export async function streamAnswer(chat: ChatCall): Promise<Response> {
  const events = createEventStream(chat.stop)
  const begin = createBeginning()
  let sent = ""
  const send = (chunk: string): void => {
    sent += chunk
    events.send(formatResult(chat.id, { chunk }))
    begin.now()
  }
  const finish = (reply: Reply): Reply => {
    if (!reply.ok) events.send(formatError(chat.id, reply.error))
    // An agent may have told less of its text than it has, or nothing.
    else if (reply.text !== sent && reply.text.startsWith(sent)) send(reply.text.slice(sent.length))
    if (reply.ok && reply.sources.length > 0) events.send(formatResult(chat.id, { sources: reply.sources }))
    events.end("[DONE]")
    return reply
  }
  const settled = callAgent(chat, ({ text }) => text !== undefined && send(text))
    .finally(chat.ended)
    .then((answer) => finish(toReply(answer, chat.closing())))
  const first = await Promise.race([begin.begun, settled])
  if (first !== undefined && !first.ok && !begin.over()) return toError(chat.id, first.error)
  return chat.visitor.bound(new Response(events.body, { headers: HEADERS }), chat.stop)
}

/** Whether the first chunk has been sent. */
function createBeginning(): { readonly begun: Promise<undefined>; now(): void; over(): boolean } {
  const { promise: begun, resolve } = createDeferred<undefined>()
  let over = false
  return {
    begun,
    now() {
      over = true
      resolve(undefined)
    },
    over: () => over,
  }
}

const HEADERS = { "content-type": "text/event-stream", "cache-control": "no-cache" }

/** Server-sent events, as one body. */
interface EventStream {
  /** The body. */
  readonly body: ReadableStream<Uint8Array>
  /** Sends one event; nothing once the stream has ended, however it ended. */
  send(data: string): void
  /** Sends the last one, and ends. */
  end(data: string): void
}

/** @param left - Runs when the client leaves before the end. */
function createEventStream(left: () => void): EventStream {
  const encoder = new TextEncoder()
  let out: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller
    },
    cancel() {
      out = undefined
      left()
    },
  })
  const send = (data: string): void => out?.enqueue(encoder.encode(`data: ${data}\n\n`))
  return {
    body,
    send,
    end(data) {
      send(data)
      out?.close()
      out = undefined
    },
  }
}
