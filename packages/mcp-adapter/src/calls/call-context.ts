import type { Principal, Progress } from "@x/agentic-service"
import type { Peer } from "./peer.js"
import type { TraceContext } from "./trace-context.js"

/** Who calls, over what, and how to reach them while the call runs. */
export interface CallContext {
  /** Who calls, where the binding knows. */
  readonly principal?: Principal
  /** What limits count by: the principal, else the legacy session, else the remote address. */
  readonly client: string
  /** What the client says it is; legacy connections only, since the modern era forbids to go by it. */
  readonly clientInfo?: ClientInfo
  /** How the caller is connected. */
  readonly leg: Leg
  /** Aborts when the caller cancels or is gone; it may already be aborted. */
  readonly signal: AbortSignal
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
}

/** What a client says it is in `initialize` (2025-11-25, basic/lifecycle): a claim, never a proof. */
export interface ClientInfo {
  /** Its name, such as `codex-mcp-client`. */
  readonly name: string
  /** Its version. */
  readonly version: string
}

/** A kind of connection: what it can deliver follows from these three. */
export interface Leg {
  /** The transport underneath. */
  readonly transport: "stdio" | "http" | "in-memory"
  /** The protocol era: `legacy` up to 2025-11-25, `modern` from 2026-07-28. */
  readonly era: "legacy" | "modern"
  /** Whether notices can reach the client outside an answer: a pipe, a session with a stream, a listen stream. */
  readonly notices: boolean
}
