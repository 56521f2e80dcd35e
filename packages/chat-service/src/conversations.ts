import type { ChatMessage, ConversationLimits } from "./chat-options.js"
import { createOwnedCache } from "./owned-cache.js"

/** Conversations by handle, each bound to its owner. */
export interface Conversations {
  /**
   * Returns a handle's conversation, or a new one without a handle.
   *
   * @returns `undefined` for a handle that is unknown, expired or owned by another. Callers cannot tell which.
   */
  open(handle: string | undefined, owner: string | undefined): Conversation | undefined
  /** Returns the number of kept conversations. */
  size(): number
}

/** A conversation as of its opening. */
export interface Conversation {
  /** Its owner's handle for continuing. It is random, and the only protection between anonymous callers. */
  readonly handle: string
  /** The messages so far. */
  readonly messages: readonly ChatMessage[]
  /** Appends a turn after all turns kept meanwhile. A conversation without a turn is not kept. */
  add(turn: readonly ChatMessage[]): void
}

/**
 * Creates a store of conversations.
 *
 * @param now - Milliseconds on a monotonic clock.
 */
export function createConversations(limits: ConversationLimits, now?: () => number): Conversations {
  const { max, perPrincipal, idleMs } = limits
  const all = createOwnedCache<readonly ChatMessage[]>({ max, perOwner: perPrincipal, idleMs }, now)
  return {
    open(given, owner) {
      const before = given === undefined ? [] : all.get(owner, given)
      if (before === undefined) return undefined
      const handle = given ?? crypto.randomUUID()
      return {
        handle,
        messages: before,
        add(turn) {
          const meanwhile = all.get(owner, handle) ?? before
          all.set(owner, handle, shorten([...meanwhile, ...turn], limits))
        },
      }
    },
    size: all.size,
  }
}

/** Drops a question together with its answer. */
function shorten(messages: readonly ChatMessage[], limits: ConversationLimits): readonly ChatMessage[] {
  let rest = messages
  while (rest.length > limits.messages || lengthOf(rest) > limits.characters) rest = rest.slice(2)
  return rest
}

function lengthOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}
