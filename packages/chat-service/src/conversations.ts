import { LRUCache } from "lru-cache"
import type { ChatMessage, ConversationLimits } from "./chat-options.js"

/** Conversations by handle, each bound to who began it. */
export interface Conversations {
  /**
   * Finds a conversation, or begins one where there is no handle.
   *
   * @returns `undefined` for a handle that was never given out, has expired, or is another's: nobody can tell which.
   */
  open(handle: string | undefined, owner: string | undefined): Conversation | undefined
  /** How many are kept. */
  size(): number
}

/** One conversation as it was when it was opened. */
export interface Conversation {
  /** What its owner hands back to go on with it: random, and the only key to it where callers are anonymous. */
  readonly handle: string
  /** What has been said. */
  readonly messages: readonly ChatMessage[]
  /** Keeps what was said now, after whatever has been kept meanwhile; a conversation without a turn is not kept. */
  add(turn: readonly ChatMessage[]): void
}

interface Kept {
  readonly owner: string | undefined
  readonly messages: readonly ChatMessage[]
}

/**
 * No conversation yet.
 *
 * @param now - Milliseconds on a clock that never goes back.
 */
export function createConversations(
  limits: ConversationLimits,
  now: () => number = () => performance.now(),
): Conversations {
  const { max, idleMs } = limits
  const all = new LRUCache<string, Kept>({ max, ttl: idleMs, updateAgeOnGet: true, ttlResolution: 0, perf: { now } })
  const find = (handle: string, owner: string | undefined): Kept | undefined => {
    // Looked at first, so that a stranger's guess does not keep it alive.
    const kept = all.peek(handle)
    return kept !== undefined && kept.owner === owner ? all.get(handle) : undefined
  }
  return {
    open(given, owner) {
      all.purgeStale()
      const kept = given === undefined ? { owner, messages: [] } : find(given, owner)
      if (kept === undefined) return undefined
      const handle = given ?? crypto.randomUUID()
      return {
        handle,
        messages: kept.messages,
        add(turn) {
          const before = find(handle, owner)?.messages ?? kept.messages
          all.set(handle, { owner, messages: shorten([...before, ...turn], limits) })
        },
      }
    },
    size() {
      all.purgeStale()
      return all.size
    },
  }
}

/** A question goes with its answer. */
function shorten(messages: readonly ChatMessage[], limits: ConversationLimits): readonly ChatMessage[] {
  let rest = messages
  while (rest.length > limits.messages || lengthOf(rest) > limits.characters) rest = rest.slice(2)
  return rest
}

function lengthOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}
