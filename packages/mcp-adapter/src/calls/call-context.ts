import type { LogLevel, Meta, Principal, Progress } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import { isRecord } from "@x/base"
import { principalKey } from "../views/principal-key.js"

/** The arguments of a call: always an object. */
export type Arguments = Readonly<Record<string, unknown>>

/** The caller of a call, its connection, and the ways to reach it while the call runs. */
export interface CallContext {
  /** The caller, when the binding knows it. */
  readonly principal?: Principal
  /** The client that limits are counted for: the principal, else the legacy session, else the remote address. */
  readonly client: string
  /**
   * The legacy session or pipe connection that carries the request. Absent when requests belong to none. It distinguishes
   * callers that share a `client`, and clients never see it.
   */
  readonly session?: string
  /**
   * The client's declared name and version, on legacy connections only. The modern era forbids behaviour that depends on it.
   */
  readonly clientInfo?: ClientInfo
  /**
   * The client's declared name and version from the request itself, in the modern era. Use it for logs and display; no
   * behaviour may depend on it (2026-07-28, basic#meta). Default: {@link CallContext.clientInfo}.
   */
  readonly info?: ClientInfo
  /** The caller's kind of connection. */
  readonly leg: Leg
  /** Aborts when the caller cancels or disconnects. It may already be aborted. */
  readonly signal: AbortSignal
  /** The source of {@link CallContext.signal}, for users that do not need a real signal. Default: `signal` itself. */
  readonly stop?: Abortable
  /** Sends progress to the caller. Absent unless the caller requested it. */
  readonly progress?: (progress: Progress) => void
  /** The caller, if it can be reached while its request lasts. */
  readonly peer?: Peer
  /** The capabilities that the caller declared, for this request (modern) or its session (legacy). */
  readonly clientCapabilities: Readonly<Record<string, unknown>>
  /** The state that an earlier answer asked the caller to return. */
  readonly requestState?: string
  /** The caller's answers to an earlier `input_required`, by key; unchecked input. */
  readonly inputResponses?: Readonly<Record<string, unknown>>
  /**
   * Reads a header of the HTTP request that carries the call, in the modern era. Absent elsewhere. The adapter compares the headers
   * that `x-mcp-header` asks for with the arguments of actions; an extension must do so for tools of its own.
   */
  readonly header?: (name: string) => string | undefined
  /** The call's place in a distributed trace, if the caller gives one. */
  readonly trace?: TraceContext
  /** The rest of the request's `_meta`, without the keys that MCP reserves (2026-07-28, basic#meta) and those of the trace. */
  readonly meta?: Meta
}

/** Returns the key that identifies the client of a call: its session, else its principal, else `client`. */
export function toClientKey({
  client,
  session,
  principal,
}: Pick<CallContext, "client" | "session" | "principal">): string {
  return session ?? (principal === undefined ? client : principalKey(principal))
}

/**
 * A client's declared name and version, from `initialize` (2025-11-25, basic/lifecycle) or each request. A claim, never a
 * proof.
 */
export interface ClientInfo {
  /** Its name, such as `codex-mcp-client`. */
  readonly name: string
  /** Its version. */
  readonly version: string
  /**
   * Whether the client stated it in the handshake of the legacy era. In the modern era it is for display only (2026-07-28,
   * basic#meta).
   */
  readonly handshake?: true
}

/** A kind of connection. Its three properties determine what it can deliver. */
export interface Leg {
  /** The transport: one of ours, or your own transport's name. */
  readonly transport: "stdio" | "http" | "in-memory" | (string & {})
  /** The protocol era: `legacy` up to 2025-11-25, `modern` from 2026-07-28. */
  readonly era: "legacy" | "modern"
  /** Whether notices can reach the client outside an answer: over a pipe, a session with a stream, or a listen stream. */
  readonly notices: boolean
}

/** The client behind a request. Sending stops once the request is answered. */
export interface Peer {
  /**
   * Sends a notification that belongs to the request. A method that the protocol revision does not have is reported to the
   * operator instead.
   */
  notify(method: string, params?: Readonly<Record<string, unknown>>): void
  /**
   * Sends a log message when the server announces `logging` and the client accepts this level. Legacy clients accept every
   * level until they set one (2025-11-25, server/utilities/logging); modern clients accept none unless the request names one
   * (2026-07-28, server/utilities/logging).
   *
   * @param logger - The application's component that logs.
   */
  log(level: LogLevel, data: unknown, logger?: string): void
  /**
   * Sends a request to the client, such as `sampling/createMessage`, and waits at most ten minutes. Rejects if the client
   * refuses, or never declared the capability. Absent if a server cannot ask: in the modern era, where a handler returns
   * `input_required` instead (2026-07-28, basic/patterns/mrtr), and on a legacy connection without streams.
   */
  request?(method: string, params?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

/**
 * The place of a call in a distributed trace, from the request's `_meta` (2026-07-28, basic#meta, in the formats of W3C Trace
 * Context and Baggage). Any caller may claim any trace: use it for correlation, not for trust.
 */
export interface TraceContext {
  /** Version, trace id, parent span id and flags: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent?: string
  /** Vendors' data of the trace, only with a `traceparent`. At most 8,192 characters. */
  readonly tracestate?: string
  /** The application's data along the trace. At most 8,192 characters. */
  readonly baggage?: string
}

/** Reads the trace from a request's `_meta`, without malformed or too long values. Returns `undefined` if there is none. */
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

/** Reads the client's name and version from a modern request's `_meta`. Returns `undefined` unless both are strings. */
export function toClientInfo(meta: Readonly<Record<string, unknown>> | undefined): ClientInfo | undefined {
  return readClientInfo(meta?.["io.modelcontextprotocol/clientInfo"])
}

/** Reads a client's name and version. Returns `undefined` unless both are strings. */
export function readClientInfo(said: unknown): ClientInfo | undefined {
  if (!isRecord(said)) return undefined
  const { name, version } = said
  return typeof name === "string" && typeof version === "string" ? { name, version } : undefined
}

/** Returns the client's own keys of a request's `_meta`, or `undefined` if there are none. */
export function toOwnMeta(meta: Meta | undefined): Meta | undefined {
  let own: Record<string, unknown> | undefined
  for (const key in meta) {
    if (TAKEN.has(key) || key.startsWith(MCP) || RESERVED.test(key)) continue
    own ??= {}
    own[key] = meta[key]
  }
  return own
}

/** Keys that are read elsewhere. */
const TAKEN: ReadonlySet<string> = new Set(["progressToken", "traceparent", "tracestate", "baggage"])

/** MCP's own prefix, on most keys. */
const MCP = "io.modelcontextprotocol/"

/** A prefix with MCP's name among its labels. */
const RESERVED = /^([^/]*\.)?(modelcontextprotocol|mcp)(\.[^/]*)?\//i

/** Returns the trace id, 32 hexadecimal digits. Returns `undefined` without a `traceparent`. */
export function traceIdOf(trace: TraceContext | undefined): string | undefined {
  return trace?.traceparent?.slice(3, 35)
}

/** The only version so far. All-zero ids are invalid (W3C Trace Context, 3.2.2). */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 8_192
}
