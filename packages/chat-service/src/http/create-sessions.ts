import type { CallAnswer } from "@x/mcp-adapter"
import { LRUCache } from "lru-cache"

/** How much is remembered of clients' sessions. */
export interface ChatSessionLimits {
  /** How many are kept; the one that was used longest ago goes first, and begins anew. Default 10,000. */
  readonly maxSessions?: number
  /** How long one is kept unused, in milliseconds. Default 3,600,000: an hour. */
  readonly sessionIdleMs?: number
}

/** Which conversation a client's session has come to. */
export interface Sessions {
  /**
   * Calls with the session's conversation, or without where it has none yet, or has lost it. Calls of a session that begins
   * wait for the first of them, so that they all go on with one conversation.
   */
  within(session: string, call: (conversation: string | undefined) => Promise<CallAnswer>): Promise<CallAnswer>
}

/** No sessions yet. */
export function createSessions({ maxSessions = 10_000, sessionIdleMs = 3_600_000 }: ChatSessionLimits): Sessions {
  const all = new LRUCache<string, Promise<string | undefined>>({
    max: maxSessions,
    ttl: sessionIdleMs,
    updateAgeOnGet: true,
  })
  const forget = (session: string, what: Promise<string | undefined>): void => {
    if (all.peek(session) === what) all.delete(session)
  }
  const within: Sessions["within"] = async (session, call) => {
    const begun = all.get(session)
    const conversation = await begun
    if (begun !== undefined && conversation !== undefined) {
      const answer = await call(conversation)
      if (!isLost(answer)) return answer
      forget(session, begun)
      return within(session, call)
    }
    // While it was waited for, another may have begun.
    if (all.peek(session) !== begun) return within(session, call)
    const first = call(undefined)
    const beginning = first.then(conversationOf, () => undefined)
    all.set(session, beginning)
    if ((await beginning) === undefined) forget(session, beginning)
    return first
  }
  return { within }
}

function isLost(answer: CallAnswer): boolean {
  return answer.kind === "settled" && !answer.outcome.ok && answer.outcome.code === "unknown_conversation"
}

function conversationOf(answer: CallAnswer): string | undefined {
  const value = answer.kind === "settled" && answer.outcome.ok ? answer.outcome.value : undefined
  if (typeof value !== "object" || value === null || !("conversation" in value)) return undefined
  return typeof value.conversation === "string" ? value.conversation : undefined
}
