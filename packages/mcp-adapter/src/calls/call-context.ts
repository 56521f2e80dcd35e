import type { LogLevel, Meta, Principal, Progress } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import { isRecord } from "@x/tool-schemas/json"
import { principalKey } from "../views/principal-key.js"

/** Arguments as clients send them: always an object. */
export type Arguments = Readonly<Record<string, unknown>>

/** Who calls, over what, and how to reach them while the call runs. */
export interface CallContext {
  /** Who calls, where the binding knows. */
  readonly principal?: Principal
  /** What limits count by: the principal, else the legacy session, else the remote address. */
  readonly client: string
  /**
   * The legacy session, or the one connection of a pipe, that the request came in; absent where requests belong to none. It tells
   * callers apart that share a `client`; compared, never shown.
   */
  readonly session?: string
  /** What the client says it is; legacy connections only, since the modern era forbids to go by it. */
  readonly clientInfo?: ClientInfo
  /**
   * What the client says it is in the request itself, in the modern era: to be logged and shown, and nothing may depend on
   * it (2026-07-28, basic#meta). Default: {@link CallContext.clientInfo}.
   */
  readonly info?: ClientInfo
  /** How the caller is connected. */
  readonly leg: Leg
  /** Aborts when the caller cancels or is gone; it may already be aborted. */
  readonly signal: AbortSignal
  /** What {@link CallContext.signal} is made of, for who does not need one. Default: `signal` itself. */
  readonly stop?: Abortable
  /** Sends progress to the caller; absent when the caller did not ask for it. */
  readonly progress?: (progress: Progress) => void
  /** The caller, where it can be reached while its request lasts. */
  readonly peer?: Peer
  /** What the caller declared it can do, for this request (modern) or its session (legacy). */
  readonly clientCapabilities: Readonly<Record<string, unknown>>
  /** What an earlier answer asked the caller to hand back. */
  readonly requestState?: string
  /** The caller's answers to what an earlier `input_required` asked, by its keys; as unchecked as any input. */
  readonly inputResponses?: Readonly<Record<string, unknown>>
  /** Where the call belongs in a distributed trace, where the caller says so. */
  readonly trace?: TraceContext
  /** What else the request's `_meta` says: no key that MCP reserves (2026-07-28, basic#meta), and none of the trace's. */
  readonly meta?: Meta
}

/** Returns what tells the client of a call from others: its session, else who calls, else what limits count by. */
export function toClientKey({
  client,
  session,
  principal,
}: Pick<CallContext, "client" | "session" | "principal">): string {
  return session ?? (principal === undefined ? client : principalKey(principal))
}

/** What a client says it is, in `initialize` (2025-11-25, basic/lifecycle) or in each request: a claim, never a proof. */
export interface ClientInfo {
  /** Its name, such as `codex-mcp-client`. */
  readonly name: string
  /** Its version. */
  readonly version: string
}

/** A kind of connection: what it can deliver follows from these three. */
export interface Leg {
  /** The transport underneath: one of ours, or what somebody else's calls itself. */
  readonly transport: "stdio" | "http" | "in-memory" | (string & {})
  /** The protocol era: `legacy` up to 2025-11-25, `modern` from 2026-07-28. */
  readonly era: "legacy" | "modern"
  /** Whether notices can reach the client outside an answer: a pipe, a session with a stream, a listen stream. */
  readonly notices: boolean
}

/** The client at the other end of a request, while the request lasts; once it is answered, nothing more is sent. */
export interface Peer {
  /**
   * Sends a notification that belongs to the request. What the revision does not know is reported to the operator and not
   * sent.
   */
  notify(method: string, params?: Readonly<Record<string, unknown>>): void
  /**
   * Sends a log message, where the server announces `logging` and the client wants to hear of this level: in the legacy
   * era all of them unless it has set one (2025-11-25, server/utilities/logging), in the modern era none unless the
   * request names one (2026-07-28, server/utilities/logging).
   *
   * @param logger - Names the part of the application that speaks.
   */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Asks the client for something, such as `sampling/createMessage`, and waits for at most ten minutes. Rejects when the
   * client refuses, or never declared that it can. Absent where a server cannot ask: in the modern era, where a handler
   * returns `input_required` instead (2026-07-28, basic/patterns/mrtr), and on a legacy connection without streams.
   */
  request?(method: string, params?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

/**
 * Where a call belongs in a distributed trace, as its client says in the request's `_meta` (2026-07-28, basic#meta, which
 * takes the formats of W3C Trace Context and Baggage). A stranger may claim any trace: good for correlation, not for trust.
 */
export interface TraceContext {
  /** Version, trace id, parent span id and flags: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent?: string
  /** What vendors add to the trace; only with a `traceparent`. At most 8,192 characters. */
  readonly tracestate?: string
  /** What the application sends along the trace. At most 8,192 characters. */
  readonly baggage?: string
}

/** What a request's `_meta` says of a trace; what is malformed or too long is left out, and `undefined` is that it says nothing. */
export function toTraceContext(meta: Readonly<Record<string, unknown>> | undefined): TraceContext | undefined {
  if (meta === undefined) return undefined
  const { traceparent, tracestate, baggage } = meta
  const parented = typeof traceparent === "string" && TRACEPARENT.test(traceparent)
  if (!parented && !isText(baggage)) return undefined
  return {
    ...(parented && { traceparent }),
    ...(parented && isText(tracestate) && { tracestate }),
    ...(isText(baggage) && { baggage }),
  }
}

/** Reads what a modern request's `_meta` says of its client; `undefined` where it says nothing, or not in two texts. */
export function toClientInfo(meta: Readonly<Record<string, unknown>> | undefined): ClientInfo | undefined {
  const said: unknown = meta?.["io.modelcontextprotocol/clientInfo"]
  if (!isRecord(said)) return undefined
  const { name, version } = said
  return typeof name === "string" && typeof version === "string" ? { name, version } : undefined
}

/** What a request's `_meta` says that is its client's own; `undefined` where there is nothing. */
export function toOwnMeta(meta: Meta | undefined): Meta | undefined {
  let own: Record<string, unknown> | undefined
  for (const key in meta) {
    if (TAKEN.has(key) || RESERVED.test(key)) continue
    own ??= {}
    own[key] = meta[key]
  }
  return own
}

/** What is read elsewhere. */
const TAKEN: ReadonlySet<string> = new Set(["progressToken", "traceparent", "tracestate", "baggage"])

/** A prefix with MCP's name among its labels. */
const RESERVED = /^([^/]*\.)?(modelcontextprotocol|mcp)(\.[^/]*)?\//i

/** The id of the trace, 32 hexadecimal digits; `undefined` where there is none. */
export function traceIdOf(trace: TraceContext | undefined): string | undefined {
  return trace?.traceparent?.slice(3, 35)
}

/** The one version there is; ids of zeros are invalid (W3C Trace Context, 3.2.2). */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 8_192
}
