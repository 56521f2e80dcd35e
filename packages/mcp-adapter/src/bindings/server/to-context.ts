import type { CallContext, ClientInfo } from "../../calls/call-context.js"
import type { Peer } from "../../calls/peer.js"
import { toTraceContext } from "../../calls/trace-context.js"
import type { Caller } from "../../endpoint.js"
import { clientInfoOf } from "./client-info-of.js"
import { createProgress } from "./create-progress.js"

/** A request of an SDK as the neutral layers know it. */
export interface Call {
  /** What the handler gets. */
  readonly context: CallContext
  /** Stops progress and notifications: nothing may follow the answer (2026-07-28, basic/patterns/progress). */
  end(): void
}

/** What either SDK knows of a request. */
export interface RequestParts {
  /** The server that got it. */
  readonly server: { getClientVersion(): ClientInfo | undefined }
  /** The `_meta` of its parameters. */
  readonly meta: { readonly progressToken?: string | number | undefined } | undefined
  /** Aborts when the client gives it up. */
  readonly signal: AbortSignal
  /** Reaches the client while it lasts. */
  readonly peer: Peer
  /** What the client can do. */
  readonly clientCapabilities: CallContext["clientCapabilities"]
}

/** Puts together what a call knows of the request it came in, whichever SDK that came through. */
export function toContext(
  caller: Caller,
  { server, meta, signal, peer, clientCapabilities }: RequestParts,
): CallContext {
  const token = meta?.progressToken
  const trace = toTraceContext(meta)
  return {
    ...caller,
    signal,
    ...(token !== undefined && { progress: createProgress(peer, token) }),
    peer,
    ...clientInfoOf(caller.leg, server),
    clientCapabilities,
    ...(trace && { trace }),
  }
}
