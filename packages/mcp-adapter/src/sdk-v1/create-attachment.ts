import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { RequestInfo } from "@modelcontextprotocol/sdk/types.js"
import type { Principal } from "@x/agentic-service"
import { type Caller, type Connection, type Endpoint, type Leg, principalKey, type Report } from "../border/binding.js"
import { INTERNAL_ERROR } from "../handlers/handler.js"
import { AdapterError, ProtocolError } from "../index.js"
import { checkPrincipal, runCallback } from "../runtime/callback.js"
import type { Extra } from "./sdk-server.js"

/**
 * Identifies the sender of a request; `undefined` is anonymous. A throw is reported and answered with an internal error, so
 * refuse unauthenticated callers earlier.
 */
export type IdentifyCaller = (
  authInfo: AuthInfo | undefined,
  requestInfo: RequestInfo | undefined,
) => Principal | undefined | Promise<Principal | undefined>

/** Options of an attachment. */
interface AttachmentOptions {
  /** The caller, or its identifying function. */
  readonly principal: Principal | IdentifyCaller | undefined
  /** Whether the transport can carry notices. */
  readonly notices: boolean
  /** Runs once the caller is known and its view is leased. */
  attached(attached: Attached): void
}

/** A leased view and its caller. */
export interface Attached {
  /** The lease. */
  readonly connection: Connection
  /** The sender of the request. */
  readonly caller: Caller
}

/** A server's single lease on a view. */
export interface Attachment {
  /** Returns the lease and the request's sender. */
  of(extra: Extra): Promise<Attached>
  /** Releases the lease; idempotent. */
  release(): void
}

/** Creates an attachment. It takes the lease at once if the caller is fixed, otherwise at the first request. */
export function createAttachment(endpoint: Endpoint, options: AttachmentOptions): Attachment {
  let attached: { readonly connection: Connection; readonly owner: Principal | undefined } | undefined
  let released = false
  // A connection other than HTTP carries one client.
  const pipe = crypto.randomUUID()
  const toOwnCaller = (principal: Principal | undefined, extra: Partial<Extra> = {}): Caller => {
    const caller = toCaller(principal, options, extra)
    const session = extra.sessionId ?? (caller.leg.transport === "http" ? undefined : pipe)
    return session === undefined ? caller : { ...caller, session }
  }
  const attach = (owner: Principal | undefined, caller: Caller) => {
    if (released) throw new ProtocolError(INTERNAL_ERROR, "the server has been closed")
    if (attached !== undefined) return attached
    attached = { connection: endpoint.open(owner), owner }
    options.attached({ connection: attached.connection, caller })
    return attached
  }
  if (typeof options.principal !== "function") attach(options.principal, toOwnCaller(options.principal))
  const find = async (extra: Extra): Promise<Attached> => {
    const principal = await identify(options.principal, extra)
    const caller = toOwnCaller(principal, extra)
    const { connection, owner } = attach(principal, caller)
    // A session id is not a credential: another principal gets nothing from its owner's view.
    if (principalKey(principal) === principalKey(owner)) return { connection, caller }
    throw new ProtocolError(INVALID_REQUEST, "this connection belongs to another principal: open a new connection")
  }
  return {
    of: (extra) => find(extra).catch((cause: unknown) => Promise.reject(toProtocolError(endpoint.host.report, cause))),
    release() {
      released = true
      attached?.connection.release()
    },
  }
}

/** -32600: a request that this server cannot serve. */
const INVALID_REQUEST = -32600

async function identify(
  principal: AttachmentOptions["principal"],
  { authInfo, requestInfo }: Extra,
): Promise<Principal | undefined> {
  if (typeof principal !== "function") return principal
  const who: unknown = await runCallback("principal", () => principal(authInfo, requestInfo))
  return who === undefined ? undefined : checkPrincipal("principal", who)
}

/** Converts an error; the application's own errors are shown to the operator only. */
function toProtocolError(report: Report, cause: unknown): ProtocolError {
  if (cause instanceof ProtocolError) return cause
  const { code, message, cause: inner = cause } = AdapterError.from(cause)
  const why = code === "callback_failed" ? message : "see the cause"
  report({
    code: "handler_failed",
    message: `the caller could not be identified, or has no service: ${why}`,
    cause: inner,
  })
  return new ProtocolError(INTERNAL_ERROR, "internal error", { cause })
}

function toCaller(
  principal: Principal | undefined,
  { notices }: Pick<AttachmentOptions, "notices">,
  { requestInfo, sessionId }: Partial<Extra> = {},
): Caller {
  // Only HTTP requests have headers.
  const transport: Leg["transport"] = requestInfo === undefined ? "stdio" : "http"
  return {
    ...(principal && { principal }),
    client: principal?.id ?? sessionId ?? transport,
    leg: { transport, era: "legacy", notices },
  }
}

/**
 * Watches for the client's `initialized` and for the end of the connection, in addition to existing callbacks.
 *
 * @returns Stops watching and restores the server's callbacks.
 */
export function followServer(server: Server, { ready, ended }: { ready(): void; ended(): void }): () => void {
  const stops = [chain(server, "oninitialized", ready), chain(server, "onclose", ended)]
  return () => {
    for (const stop of stops) stop()
  }
}

function chain(server: Server, event: "oninitialized" | "onclose", then: () => void): () => void {
  const before = server[event]
  let following = true
  const both = () => {
    before?.()
    if (following) then()
  }
  server[event] = both
  return () => {
    following = false
    // A later wrapper calls ours, so ours must stay.
    if (server[event] !== both) return
    if (before === undefined) delete server[event]
    else server[event] = before
  }
}
