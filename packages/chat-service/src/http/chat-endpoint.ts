import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "@x/mcp-adapter"
import {
  apiKeys,
  createHttpGate,
  type FindKey,
  type HttpEndpoint,
  type SiteOptions,
  type Visitor,
} from "@x/mcp-adapter/fetch"
import { expectOptions } from "../option-rules.js"
import { answerWhole, type ChatCall, streamAnswer } from "./answer-chat.js"
import { CLOSING, readChatRequest, toError } from "./json-rpc.js"
import { type ChatSessionLimits, createCalls, createSessions } from "./running.js"

/** Options of chat over HTTP. */
export interface ChatHttpOptions extends Omit<SiteOptions, "authenticate" | "principal">, ChatSessionLimits {
  /**
   * The API keys for the header `X-API-Key`, with their principals. Only hashes are kept, and compared in constant time.
   * Alternatively, a function that looks up a stored key. Requests without a valid key get a 401.
   */
  readonly keys: ReadonlyMap<string, Principal> | FindKey
  /**
   * The tool behind `chat`, which must accept `messages`. Default `chat`; in a graph of services, for example, `guide__chat`.
   */
  readonly tool?: string
  /** How long calls may continue while the handler closes, in milliseconds, before they are aborted. Default 5,000. */
  readonly closeGraceMs?: number
}

/**
 * Creates the endpoint of chat over HTTP, independent of the host.
 *
 * @throws ServiceError `invalid_definition` for an invalid option.
 */
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

/** The options that the gate does not check itself. */
const RULES = {
  tool: "text",
  closeGraceMs: { from: 0 },
  maxSessions: { from: 1, whole: true },
  maxSessionsPerClient: { from: 1, whole: true },
  sessionIdleMs: { from: 1 },
} as const
