import type { Progress } from "@x/agentic-service"
import {
  type CallContext,
  type ClientInfo,
  type Leg,
  type Peer,
  toOwnMeta,
  toTraceContext,
} from "../../calls/call-context.js"
import type { Caller } from "../../endpoint.js"
import { MISSING_CAPABILITY, ProtocolError } from "../../handlers/handler.js"

/** An SDK request in neutral form. */
export interface Call {
  /** The context for the handler. */
  readonly context: CallContext
  /** Stops progress and notifications: nothing may follow the answer (2026-07-28, basic/patterns/progress). */
  end(): void
}

/** The parts of a request that both SDK versions provide. */
interface RequestParts {
  /** The receiving server. */
  readonly server: { getClientVersion(): ClientInfo | undefined }
  /** The `_meta` of the parameters. */
  readonly meta: { readonly progressToken?: string | number | undefined } | undefined
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal
  /** Reaches the client until the request is answered. */
  readonly peer: Peer
  /** The client's capabilities. */
  readonly clientCapabilities: CallContext["clientCapabilities"]
}

/** Creates a call's context from its request, for either SDK version. */
export function toContext(
  caller: Caller,
  { server, meta, signal, peer, clientCapabilities }: RequestParts,
): CallContext {
  const token = meta?.progressToken
  return {
    signal,
    ...caller,
    ...(token !== undefined && { progress: createProgress(peer, token) }),
    peer,
    ...clientInfoOf(caller.leg, server),
    clientCapabilities,
    ...readMeta(meta),
  }
}

/** Reads the trace and the client's own keys of a request's `_meta`. */
export function readMeta(meta: CallContext["meta"]): Pick<CallContext, "trace" | "meta"> {
  const trace = toTraceContext(meta)
  const own = toOwnMeta(meta)
  return { ...(trace && { trace }), ...(own && { meta: own }) }
}

/** How long a client may take to answer, in milliseconds: a person may have to decide. */
export const ANSWER_TIME = 600_000

/** Channels from one SDK request to its client. */
export interface PeerWays {
  /** Whether the request has been cancelled. */
  readonly signal: Pick<AbortSignal, "aborted">
  /** The client's capabilities. */
  readonly clientCapabilities: CallContext["clientCapabilities"]
  /** Sends a notification that belongs to the request. */
  notify(message: PeerMessage): Promise<void>
  /** Sends a log message. */
  log(...message: Parameters<Peer["log"]>): Promise<void>
  /** Asks the client; absent if the server cannot ask. */
  readonly request?: (message: PeerMessage) => Promise<Readonly<Record<string, unknown>>>
  /** Reports a failed message. */
  failed(error: Error): void
}

/** A method and its parameters. A `type` so that SDK types accept it. */
export type PeerMessage = {
  /** The method. */
  method: string
  /** The parameters. */
  params?: Record<string, unknown>
}

/** Creates the client's side of one request, usable until the request is answered. */
export function createPeer(ways: PeerWays): { readonly peer: Peer; end(): void } {
  const { signal, notify, log, request, failed } = ways
  let open = true
  const send = (message: () => Promise<void>): void => {
    if (open && !signal.aborted) message().catch(failed)
  }
  const ask: Peer["request"] = async (method, params) => {
    expectCapable(method, ways.clientCapabilities)
    if (request !== undefined && open) return request(toMessage(method, params))
    throw new Error(`"${method}" was not sent: its request has already been answered`)
  }
  return {
    peer: {
      notify: (method, params) => send(() => notify(toMessage(method, params))),
      log: (...message) => send(() => log(...message)),
      ...(request && { request: ask }),
    },
    end() {
      open = false
    },
  }
}

/** The capability that each question requires. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ["elicitation/create", "elicitation"],
  ["roots/list", "roots"],
  ["sampling/createMessage", "sampling"],
])

/** @throws ProtocolError if the client did not declare the capability for the method. */
function expectCapable(method: string, declared: CallContext["clientCapabilities"]): void {
  const needed = NEEDED.get(method)
  if (needed === undefined || Object.hasOwn(declared, needed)) return
  const message = `"${method}" was not sent: the client did not declare "${needed}"`
  throw new ProtocolError(MISSING_CAPABILITY, message, { data: { requiredCapabilities: { [needed]: {} } } })
}

function toMessage(method: string, params: Readonly<Record<string, unknown>> | undefined): PeerMessage {
  return { method, ...(params && { params: { ...params } }) }
}

/**
 * Creates a progress function that drops values that do not grow, as clients that sent a `progressToken` expect (2026-07-28,
 * basic/patterns/progress).
 */
export function createProgress(peer: Peer, progressToken: string | number): (progress: Progress) => void {
  let latest = Number.NEGATIVE_INFINITY
  return ({ text, ...progress }) => {
    if (!Number.isFinite(progress.progress) || progress.progress <= latest) return
    latest = progress.progress
    peer.notify("notifications/progress", { progressToken, ...progress, ...(text !== undefined && { message: text }) })
  }
}

/** Returns the name and version that a legacy client stated when it connected; `undefined` for a modern one. */
export function clientInfoOf(
  { era }: Leg,
  server: { getClientVersion(): ClientInfo | undefined },
): Pick<CallContext, "clientInfo"> | undefined {
  const clientInfo = era === "legacy" ? server.getClientVersion() : undefined
  return clientInfo && { clientInfo }
}
