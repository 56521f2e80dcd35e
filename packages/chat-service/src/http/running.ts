import { createDeferred } from "@x/base"
import type { CallAnswer, McpAdapter } from "@x/mcp-adapter"
import { startTimer } from "@x/mcp-adapter/binding"
import { createOwnedCache } from "../owned-cache.js"

/** A running call. */
export interface RunningCall {
  /** Aborts when its client has left, or when the handler closes and the grace period is over. */
  readonly signal: AbortSignal
  /** Stops the call. Harmless once it has ended. */
  stop(): void
  /** Whether it was stopped because the handler closes. */
  closing(): boolean
  /** Call this after the call was answered. */
  ended(): void
}

/** The calls of one handler. */
interface Calls {
  /**
   * Starts a call. Returns `undefined` once the handler is closed.
   *
   * @param whenOver - Runs a function when the client has left or has its answer.
   */
  begin(whenOver: (stop: () => void) => void): RunningCall | undefined
  /**
   * Starts no more calls, and resolves once all have ended. Calls that still run after `graceMs` are stopped. May be called
   * again.
   */
  close(graceMs: number): Promise<void>
}

/** Creates the registry of one handler's calls. */
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

/** Limits of clients' sessions. */
export interface ChatSessionLimits {
  /**
   * The most sessions in total. Beyond that, the client with the most loses its least recently used one, which then starts a
   * new conversation. Default 10,000.
   */
  readonly maxSessions?: number | undefined
  /**
   * The most sessions of one client. The least recently used one is dropped first, and then starts a new conversation. Default
   * 1,000.
   */
  readonly maxSessionsPerClient?: number | undefined
  /** How long an unused session is kept, in milliseconds. Default 3,600,000: an hour. */
  readonly sessionIdleMs?: number | undefined
}

/** The conversations of clients' sessions. */
export interface Sessions {
  /**
   * Calls with the session's conversation, if it has one that still exists. Calls of a new session wait for the first of them,
   * so that all continue the same conversation.
   */
  within(session: ChatSession, call: (conversation: string | undefined) => Promise<CallAnswer>): Promise<CallAnswer>
}

/** A session, named by its client. Names of different clients are independent. */
export interface ChatSession {
  /** The client. */
  readonly client: string
  /** The session id. */
  readonly name: string
}

/** Creates the sessions of one handler. */
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
    // Another call may have started a conversation meanwhile.
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
