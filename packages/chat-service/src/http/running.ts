import type { CallAnswer, McpAdapter } from "@x/mcp-adapter"
import { createDeferred, startTimer } from "@x/mcp-adapter/binding"
import { createOwnedCache } from "../owned-cache.js"

/** One call on its way. */
export interface RunningCall {
  /** Aborts when its client is gone, or the handler closes and the grace is over. */
  readonly signal: AbortSignal
  /** Stops it; harmless once it has ended. */
  stop(): void
  /** Whether it was stopped because the handler closes. */
  closing(): boolean
  /** To be called when it has been answered. */
  ended(): void
}

/** The calls of one handler. */
interface Calls {
  /**
   * Begins one; `undefined` once the handler is closed.
   *
   * @param whenOver - Runs what it is given when the client is gone, or has its answer.
   */
  begin(whenOver: (stop: () => void) => void): RunningCall | undefined
  /** Begins no more, and resolves once all have ended, however often it is called; those that go on after so many milliseconds are stopped. */
  close(graceMs: number): Promise<void>
}

/** Makes a place for the calls of one handler. */
export function createCalls({ core }: Pick<McpAdapter, "core">): Calls {
  const running = new Set<RunningCall>()
  let open = true
  let over = false
  const empty = createDeferred()
  let closing: Promise<void> | undefined
  const end = async (graceMs: number): Promise<void> => {
    if (running.size === 0) return
    const cancel = startTimer(core.host, graceMs, () => {
      over = true
      for (const call of running) call.stop()
    })
    await empty.promise
    cancel()
  }
  return {
    begin(whenOver) {
      if (!open) return undefined
      const controller = new AbortController()
      const stop = (): void => controller.abort(new DOMException("the client is gone", "AbortError"))
      whenOver(stop)
      const call: RunningCall = {
        signal: controller.signal,
        stop,
        closing: () => over,
        ended() {
          running.delete(call)
          if (!open && running.size === 0) empty.resolve()
        },
      }
      running.add(call)
      return call
    },
    close(graceMs) {
      open = false
      closing ??= end(graceMs)
      return closing
    },
  }
}

/** How much is remembered of clients' sessions. */
export interface ChatSessionLimits {
  /** How many are kept in all; beyond it, the client with the most loses the one used longest ago, which begins anew. Default 10,000. */
  readonly maxSessions?: number | undefined
  /** How many of one client are kept; the one used longest ago goes first, and begins anew. Default 1,000. */
  readonly maxSessionsPerClient?: number | undefined
  /** How long one is kept unused, in milliseconds. Default 3,600,000: an hour. */
  readonly sessionIdleMs?: number | undefined
}

/** Which conversation a client's session has come to. */
export interface Sessions {
  /**
   * Calls with the session's conversation, or without where it has none yet, or has lost it. Calls of a session that begins
   * wait for the first of them, so that they all go on with one conversation.
   */
  within(session: ChatSession, call: (conversation: string | undefined) => Promise<CallAnswer>): Promise<CallAnswer>
}

/** What names a session: the client's own word for it, of which another client knows nothing. */
export interface ChatSession {
  /** The client. */
  readonly client: string
  /** Its name for the session. */
  readonly name: string
}

/** Makes a place where sessions find their conversations. */
export function createSessions(limits: ChatSessionLimits): Sessions {
  const {
    maxSessions: max = 10_000,
    maxSessionsPerClient: perOwner = 1_000,
    sessionIdleMs: idleMs = 3_600_000,
  } = limits
  const all = createOwnedCache<Promise<string | undefined>>({ max, perOwner, idleMs })
  const forget = ({ client, name }: ChatSession, what: Promise<string | undefined>): void => {
    if (all.peek(client, name) === what) all.delete(client, name)
  }
  const within: Sessions["within"] = async (session, call) => {
    const { client, name } = session
    const begun = all.get(client, name)
    const conversation = await begun
    if (begun !== undefined && conversation !== undefined) {
      const answer = await call(conversation)
      if (!isLost(answer)) return answer
      forget(session, begun)
      return within(session, call)
    }
    // While it was waited for, another may have begun.
    if (all.peek(client, name) !== begun) return within(session, call)
    const first = call(undefined)
    const beginning = first.then(conversationOf, () => undefined)
    all.set(client, name, beginning)
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
