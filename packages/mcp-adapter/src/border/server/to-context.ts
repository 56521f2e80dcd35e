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

/** A request of an SDK as the neutral layers know it. */
export interface Call {
  /** What the handler gets. */
  readonly context: CallContext
  /** Stops progress and notifications: nothing may follow the answer (2026-07-28, basic/patterns/progress). */
  end(): void
}

/** What either SDK knows of a request. */
interface RequestParts {
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
  const own = toOwnMeta(meta)
  return {
    signal,
    ...caller,
    ...(token !== undefined && { progress: createProgress(peer, token) }),
    peer,
    ...clientInfoOf(caller.leg, server),
    clientCapabilities,
    ...(trace && { trace }),
    ...(own && { meta: own }),
  }
}

/** How long a client may take to answer, in milliseconds: there may be a person behind it. */
export const ANSWER_TIME = 600_000

/** How one request of an SDK reaches its client. */
export interface PeerWays {
  /** Aborts when the client wants to hear no more. */
  readonly signal: AbortSignal
  /** What the client can do. */
  readonly clientCapabilities: CallContext["clientCapabilities"]
  /** Sends a notification that belongs to the request. */
  notify(message: PeerMessage): Promise<void>
  /** Sends a log message. */
  log(...message: Parameters<Peer["log"]>): Promise<void>
  /** Asks for something; absent where a server cannot ask. */
  readonly request?: (message: PeerMessage) => Promise<Readonly<Record<string, unknown>>>
  /** Told when something could not be sent. */
  failed(error: Error): void
}

/** A method and its parameters. A `type` so that SDK types accept it. */
export type PeerMessage = {
  /** The method. */
  method: string
  /** Its parameters. */
  params?: Record<string, unknown>
}

/** The client behind one request, until the request is answered. */
export function createPeer(ways: PeerWays): { readonly peer: Peer; end(): void } {
  const { signal, notify, log, request, failed } = ways
  let open = true
  const send = (message: () => Promise<void>): void => {
    if (open && !signal.aborted) message().catch(failed)
  }
  const ask: Peer["request"] = async (method, params) => {
    expectCapable(method, ways.clientCapabilities)
    if (request !== undefined && open) return request(toMessage(method, params))
    throw new Error(`"${method}" was not asked: the request it belongs to has been answered`)
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

/** What a client must have declared to be asked, by method. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ["elicitation/create", "elicitation"],
  ["roots/list", "roots"],
  ["sampling/createMessage", "sampling"],
])

/** @throws ProtocolError where the client did not declare that it can be asked. */
function expectCapable(method: string, declared: CallContext["clientCapabilities"]): void {
  const needed = NEEDED.get(method)
  if (needed === undefined || Object.hasOwn(declared, needed)) return
  const message = `"${method}" was not asked: the client did not declare "${needed}"`
  throw new ProtocolError(MISSING_CAPABILITY, message, { data: { requiredCapabilities: { [needed]: {} } } })
}

function toMessage(method: string, params: Readonly<Record<string, unknown>> | undefined): PeerMessage {
  return { method, ...(params && { params: { ...params } }) }
}

/** Sends progress that only grows, as a client that asked for it with `progressToken` expects (2026-07-28, basic/patterns/progress). */
export function createProgress(peer: Peer, progressToken: string | number): (progress: Progress) => void {
  let latest = Number.NEGATIVE_INFINITY
  return ({ text, ...progress }) => {
    if (!Number.isFinite(progress.progress) || progress.progress <= latest) return
    latest = progress.progress
    peer.notify("notifications/progress", { progressToken, ...progress, ...(text !== undefined && { message: text }) })
  }
}

/** What a legacy client said it is when it connected; nothing for a modern one, whatever it says. */
export function clientInfoOf(
  { era }: Leg,
  server: { getClientVersion(): ClientInfo | undefined },
): Pick<CallContext, "clientInfo"> | undefined {
  const clientInfo = era === "legacy" ? server.getClientVersion() : undefined
  return clientInfo && { clientInfo }
}
