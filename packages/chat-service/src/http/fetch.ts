import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "@x/mcp-adapter"
import {
  apiKeys,
  createHttpGate,
  type FetchHandler,
  type FindKey,
  type HttpEndpoint,
  type SiteOptions,
  toFetchHandler,
  type Visitor,
} from "@x/mcp-adapter/fetch"
import { expectOptions } from "../option-rules.js"
import { answerWhole, type ChatCall, streamAnswer } from "./answer-chat.js"
import { CLOSING, readChatRequest, toError } from "./json-rpc.js"
import { type ChatSessionLimits, createCalls, createSessions } from "./running.js"

export type { FetchHandler } from "@x/mcp-adapter/fetch"
export type { ChatSessionLimits } from "./running.js"

/** How {@link createChatFetchHandler} serves. */
export interface ChatHttpOptions extends Omit<SiteOptions, "authenticate" | "principal">, ChatSessionLimits {
  /**
   * The keys that the header `X-API-Key` may carry, and who they stand for, of which only hashes are kept, compared in constant
   * time; or a function that finds one where they are stored. Any other request is a 401.
   */
  readonly keys: ReadonlyMap<string, Principal> | FindKey
  /** The tool behind `chat`, which takes `messages`. Default `chat`; in a graph of services it may be `guide__chat`. */
  readonly tool?: string
  /** How long calls may go on while the handler closes, in milliseconds, before they are told to stop. Default 5,000. */
  readonly closeGraceMs?: number
}

/**
 * Serves one agent of an adapter without MCP's handshake, as ORBIT does: `tools/call` of `chat` in JSON-RPC, answered with the
 * messages and sources, or with chunks as server-sent events. A call is one of the adapter's like any other: its limits, its
 * events, its questions. Clients must send `X-API-Key` and `X-Session-ID`; a session goes on with its conversation where
 * the agent keeps them.
 *
 * @throws ServiceError `invalid_definition` for an option that cannot be.
 * @example
 * ```ts
 * import { createChatService } from "@x/chat-service"
 * import { createChatFetchHandler } from "@x/chat-service/fetch"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const guide = createChatService({ name: "guide", description: "Greets", respond: () => "Hello" })
 * const adapter = createMcpAdapter(guide)
 * const chat = createChatFetchHandler(adapter, { keys: new Map([["secret", { id: "ann" }]]) })
 * const stranger = new Request("http://127.0.0.1/v1/chat", { method: "POST", headers: { host: "127.0.0.1" } })
 * console.log((await chat.fetch(stranger)).status) // 401
 * await chat.close()
 * adapter.close()
 * ```
 */
export function createChatFetchHandler(adapter: McpAdapter, options: ChatHttpOptions): FetchHandler {
  return toFetchHandler(createChatEndpoint(adapter, options))
}

/** The same for any host of HTTP. */
export function createChatEndpoint(adapter: McpAdapter, options: ChatHttpOptions): HttpEndpoint {
  const {
    keys,
    tool = "chat",
    closeGraceMs = 5_000,
    maxSessions,
    maxSessionsPerClient,
    sessionIdleMs,
    ...gating
  } = options
  expectOptions("chat over HTTP", { tool, closeGraceMs, maxSessions, maxSessionsPerClient, sessionIdleMs }, RULES)
  const sessions = createSessions({ maxSessions, maxSessionsPerClient, sessionIdleMs })
  const calls = createCalls(adapter)
  const serve = async (visitor: Visitor): Promise<void> => {
    const asked = await readChatRequest(visitor)
    if ("status" in asked) return visitor.send(asked)
    const call = calls.begin(visitor.onEnd)
    if (call === undefined) return visitor.send(toError(asked.id, CLOSING, 503))
    const chat: ChatCall = { ...asked, ...call, adapter, tool, sessions, visitor }
    return asked.stream ? streamAnswer(chat) : answerWhole(chat)
  }
  const gate = createHttpGate(adapter, { ...gating, authenticate: apiKeys(keys) }, serve)
  return {
    answer: gate.answer,
    held: gate.held,
    async close() {
      await calls.close(closeGraceMs)
      await gate.idle()
    },
  }
}

/** What the gate is not given; it checks the rest itself. */
const RULES = {
  tool: "text",
  closeGraceMs: { from: 0 },
  maxSessions: { from: 1, whole: true },
  maxSessionsPerClient: { from: 1, whole: true },
  sessionIdleMs: { from: 1 },
} as const
