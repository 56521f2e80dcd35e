import type { ChatMessage, ConversationLimits } from "./chat-options.js"
import { createOwnedCache } from "./owned-cache.js"

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

/**
 * Makes a place where conversations are kept.
 *
 * @param now - Milliseconds on a clock that never goes back.
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

/** A question goes with its answer. */
function shorten(messages: readonly ChatMessage[], limits: ConversationLimits): readonly ChatMessage[] {
  let rest = messages
  while (rest.length > limits.messages || lengthOf(rest) > limits.characters) rest = rest.slice(2)
  return rest
}

function lengthOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}
