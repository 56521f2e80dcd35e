import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { RequestInfo } from "@modelcontextprotocol/sdk/types.js"
import type { Principal } from "@x/agentic-service"
import { AdapterError } from "../../adapter-error.js"
import type { Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import { INTERNAL_ERROR, ProtocolError } from "../../handlers/handler.js"
import { checkPrincipal, runCallback } from "../../runtime/callback.js"
import type { Report } from "../../runtime/diagnostic.js"
import { principalKey } from "../../views/principal-key.js"
import type { Extra } from "./sdk-server.js"

/**
 * Says who sent a request; `undefined` is anonymous. A throw is reported and answered with an internal error, so refuse
 * callers before they get here.
 */
export type IdentifyCaller = (
  authInfo: AuthInfo | undefined,
  requestInfo: RequestInfo | undefined,
) => Principal | undefined | Promise<Principal | undefined>

/** Who calls: the same for everything, or to be found out. */
interface AttachmentOptions {
  /** Whose view it is. */
  readonly principal: Principal | IdentifyCaller | undefined
  /** Whether notices can arrive. */
  readonly notices: boolean
  /** Runs once it is known whose view it is, with the lease on it. */
  attached(attached: Attached): void
}

/** A lease on a view, and who uses it. */
export interface Attached {
  /** The lease. */
  readonly connection: Connection
  /** Who sent the request. */
  readonly caller: Caller
}

/** The one lease on a view that goes with one server. */
export interface Attachment {
  /** The lease, and who sent this request. */
  of(extra: Extra): Promise<Attached>
  /** Gives the lease back; idempotent. */
  release(): void
}

/** Takes the lease at once where it is known who calls, else at the first request. */
export function createAttachment(endpoint: Endpoint, options: AttachmentOptions): Attachment {
  let attached: { readonly connection: Connection; readonly owner: Principal | undefined } | undefined
  let released = false
  // A connection that is no HTTP request carries one client.
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
    // A session is not a credential: whoever else uses it gets nothing of its owner's.
    if (principalKey(principal) === principalKey(owner)) return { connection, caller }
    throw new ProtocolError(INVALID_REQUEST, "the connection belongs to another principal: open one of your own")
  }
  return {
    of: (extra) => find(extra).catch((cause: unknown) => Promise.reject(toProtocolError(endpoint.host.report, cause))),
    release() {
      released = true
      attached?.connection.release()
    },
  }
}

/** -32600: not a request that can be served here. */
const INVALID_REQUEST = -32600

async function identify(
  principal: AttachmentOptions["principal"],
  { authInfo, requestInfo }: Extra,
): Promise<Principal | undefined> {
  if (typeof principal !== "function") return principal
  const who: unknown = await runCallback("principal", () => principal(authInfo, requestInfo))
  return who === undefined ? undefined : checkPrincipal("principal", who)
}

/** What the application throws is told to its operator only. */
function toProtocolError(report: Report, cause: unknown): ProtocolError {
  if (cause instanceof ProtocolError) return cause
  const { code, message, cause: inner = cause } = AdapterError.from(cause)
  const why = code === "callback_failed" ? message : "see the cause"
  report({ code: "handler_failed", message: `the caller was not told apart, or has no service: ${why}`, cause: inner })
  return new ProtocolError(INTERNAL_ERROR, "internal error", { cause })
}

function toCaller(
  principal: Principal | undefined,
  { notices }: Pick<AttachmentOptions, "notices">,
  { requestInfo, sessionId }: Partial<Extra> = {},
): Caller {
  // Only HTTP has headers to tell of.
  const transport: Leg["transport"] = requestInfo === undefined ? "stdio" : "http"
  return {
    ...(principal && { principal }),
    client: principal?.id ?? sessionId ?? transport,
    leg: { transport, era: "legacy", notices },
  }
}

/**
 * Tells when the client says that it is ready, and when the connection has ended, beside whoever was told of it before.
 *
 * @returns Stops it, and leaves the server as it was found.
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
    // Whoever came after us calls ours, so it has to stay.
    if (server[event] !== both) return
    if (before === undefined) delete server[event]
    else server[event] = before
  }
}
