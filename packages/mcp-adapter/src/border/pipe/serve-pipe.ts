import type { JSONRPCNotification, JSONRPCRequest } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import { createDeferred } from "@x/base"
import type { Leg } from "../../calls/call-context.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import { INVALID_PARAMS } from "../../handlers/handler.js"
import { once, subscribeIn } from "../../runtime/host.js"
import { createClientReport } from "../server/client-report.js"
import { clientOf, findVersionFault, hasBatches, readClaim } from "../server/era.js"
import { findSizeFault, type JsonSize, measureValue } from "../server/json-size.js"
import { type CheckedBody, checkBody, goesOn, type ValidMessage } from "../server/messages.js"
import { CLOSING, formatError, INVALID_REQUEST, PARSE_ERROR, type RpcError } from "../server/rpc-error.js"
import { createStops } from "../server/stops.js"
import { createWork, STOPPING } from "../server/work.js"
import { createOutbox, type Outbox } from "./outbox.js"
import { createPipeListens, createPipeServers, type PipeListens, type PipeServers } from "./pipe-servers.js"

/** One connection that carries all messages as text, provided by a transport. */
export interface Pipe {
  /**
   * Sends a text, one JSON-RPC message or a batch, in the order of the calls. A returned promise resolves once the other end or
   * the system has accepted the text, and rejects if the connection is gone; texts sent together may share one promise.
   */
  send(text: string): void | Promise<void>
  /** Closes the connection after sending what is queued. Called at most once. */
  close(): void | Promise<void>
}

/** Options of {@link servePipe}. */
export interface PipeOptions {
  /** The kind of pipe, such as `websocket`, shown in events, logs and call contexts. */
  readonly transport: string
  /** The calling principal, the same for all messages. Default: anonymous. */
  readonly principal?: Principal | undefined
  /**
   * The key that limits count anonymous clients by, such as an address. Default: the transport, which all such clients share.
   */
  readonly client?: string | undefined
  /** How long running calls may take to finish after `close`, in milliseconds. Default 0. */
  readonly drainMs?: number | undefined
  /** The most open listen streams; one more is refused. Default 100. */
  readonly maxListens?: number | undefined
}

/** A connection being served. */
export interface PipeServer {
  /**
   * Shuts down: refuses further requests, gives running ones `drainMs` to finish, then tells them to stop and answers them, and
   * ends listen streams with their final message. A person's answer still gets through. Idempotent.
   */
  close(): Promise<void>
  /** Resolves once the connection has ended and all its resources are released. */
  readonly closed: Promise<void>
}

/** The server's end of a pipe, held by the transport. */
export interface PipeEnd extends PipeServer {
  /** Takes a received text, in order. Never throws. */
  receive(text: string): void
  /** Refuses input that could not be read, such as a line over the limit, whose request is unknown. */
  refuse(message: string): void
  /** Reports that the other end is gone: running calls are aborted. Idempotent. */
  gone(): void
}

/**
 * Serves one connection that carries all messages, in both eras; each message states its era. Notifications beyond 1 MB wait
 * until the other end has read more, identical ones once. The pipe is closed if the other end reads nothing for 10 s while
 * messages wait, or leaves more than 16 MB waiting. Answers do not count, since the client asked for them. The process stays
 * alive until all requests are answered.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { createEndpoint, servePipe } from "@x/mcp-adapter/binding"
 *
 * const adapter = createMcpAdapter(createAgenticService({ name: "door" }))
 * const socket = { send: (text: string) => console.log(text), close: () => {} } // yours, such as a WebSocket
 * const end = servePipe(createEndpoint(adapter), socket, { transport: "websocket" })
 * end.receive('{"jsonrpc":"2.0","id":1,"method":"ping"}') // sends {"result":{},"jsonrpc":"2.0","id":1}
 * await end.close() // call end.gone() if the other end has left
 * adapter.close()
 * ```
 */
export function servePipe(endpoint: Endpoint, pipe: Pipe, options: PipeOptions): PipeEnd {
  const { host } = endpoint
  const { principal, transport, drainMs = 0 } = options
  const client = principal?.id ?? options.client ?? transport
  const caller = { client, session: crypto.randomUUID(), ...(principal && { principal }) }
  const connection = endpoint.open(principal)
  const tell = createClientReport(host)
  const stops = createStops()
  const work = createWork(host, true)
  let closing: Promise<void> | undefined
  const outbox = createOutbox({
    out: (text) => pipe.send(text),
    work,
    gone: () => life.gone(),
    dropped: (reason) => drop(reason),
    host,
  })
  const failed = (cause: Error): void =>
    tell(client, { code: "transport_failed", message: `the pipe of "${client}" failed`, cause })
  const { maxListens } = options
  const site = { caller, transport, maxListens, stops, outbox, failed, ended: () => life.finish() }
  const servers = createPipeServers(endpoint, connection, site)
  const full = (message: string): void => tell(client, { code: "listen_limit", message })
  const listens = createPipeListens(endpoint, connection, { ...options, caller, outbox, full })
  const life = createLife(endpoint, pipe, {
    last: async () => {
      listens.close()
      await outbox.flushed()
    },
    release() {
      following.unsubscribe()
      outbox.close()
      servers.close()
      listens.leave()
      connection.release()
    },
  })
  const drop = (reason: string): void => {
    tell(client, { code: "peer_dropped", message: `"${client}" ${reason}` })
    life.leave()
  }
  const shut = (milliseconds: number): Promise<void> => {
    closing ??= (async () => {
      await work.idle(milliseconds)
      stops.all()
      await work.idle(STOPPING)
      life.finish()
      await life.closed
    })()
    return closing
  }
  // A closed view ends the connection.
  const following = subscribeIn(host.ledger, connection.settled, { complete: () => void shut(0) })
  const refuse = (error: RpcError): void => {
    tell(client, { code: "body_refused", message: `a message of "${client}" was refused: ${error.message}` })
    outbox.send(formatError(error, null))
  }
  return {
    closed: life.closed,
    gone: life.gone,
    receive: createIntake({ connection, outbox, servers, listens, refuse, isClosing: () => closing !== undefined }),
    refuse: (message) => refuse({ code: INVALID_REQUEST, message }),
    close: () => shut(drainMs),
  }
}

/** The end of a pipe. */
interface Life extends Pick<PipeEnd, "gone" | "closed"> {
  /** Sends the final messages, then closes the pipe. */
  finish(): void
  /** Closes the pipe without sending anything more. */
  leave(): void
}

/** The steps of closing a pipe. */
interface LifeSite {
  /** Sends the final messages. */
  readonly last: () => Promise<void>
  /** Releases all resources. */
  readonly release: () => void
}

function createLife({ host }: Endpoint, pipe: Pipe, { last, release }: LifeSite): Life {
  const ended = host.ledger.open("stream")
  const closed = createDeferred()
  const gone = once(() => {
    release()
    ended()
    closed.resolve()
  })
  const leave = once(() => {
    gone()
    // A pipe that is already gone cannot be closed.
    void Promise.resolve(pipe.close()).catch(() => undefined)
  })
  return { closed: closed.promise, gone, leave, finish: once(() => void last().then(leave, leave)) }
}

/** The context of an intake. */
interface IntakeSite {
  readonly connection: Pick<Connection, "introduce">
  readonly outbox: Outbox
  readonly servers: PipeServers
  readonly listens: PipeListens
  /** Answers an invalid message and reports it to the operator. */
  readonly refuse: (error: RpcError) => void
  readonly isClosing: () => boolean
}

/** The limits on one text. */
const LIMITS: JsonSize = { depth: 100, values: 1_000_000 }

/** Creates the intake: it takes the pipe's texts in order and passes each message to its handler. */
function createIntake(site: IntakeSite): (text: string) => void {
  const { outbox, servers, refuse } = site
  return (text) => {
    const body = readBody(text)
    const version = servers.version()
    if (body.kind === "invalid" && body.id === null) refuse(body.error)
    else if (body.kind === "invalid") outbox.send(formatError(body.error, body.id))
    else if (body.kind !== "batch") takeMessage(body, site)
    else if (version === undefined || hasBatches(version)) takeBatch(body.messages, site)
    else refuse({ code: INVALID_REQUEST, message: `revision ${version} has no batches: expected one message` })
  }
}

function takeBatch(messages: readonly ValidMessage[], site: IntakeSite): void {
  const ids = messages.flatMap((checked) => (checked.kind === "request" ? [checked.message.id] : []))
  site.outbox.expect(ids, true)
  for (const checked of messages) takeMessage(checked, site, true)
}

function readBody(text: string): CheckedBody {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { kind: "invalid", error: { code: PARSE_ERROR, message: NO_JSON }, id: null }
  }
  const fault = findSizeFault(measureValue(body, LIMITS), LIMITS)
  return fault === undefined
    ? checkBody(body)
    : { kind: "invalid", error: { code: INVALID_REQUEST, message: fault }, id: null }
}

const NO_JSON = "the message is not JSON: expected a JSON-RPC message"

function takeMessage(checked: ValidMessage, site: IntakeSite, inBatch = false): void {
  const { outbox, servers } = site
  if (checked.kind === "response") servers.take("legacy", checked.message)
  else if (checked.kind === "notification") takeNotification(checked.message, site)
  else {
    // A listen stream is ended by the server itself, so shutdown does not wait for it.
    if (!inBatch && checked.message.method !== LISTEN) outbox.expect([checked.message.id], false)
    takeRequest(checked.message, site)
  }
}

const LISTEN = "subscriptions/listen"

function takeNotification(message: JSONRPCNotification, { outbox, servers, listens }: IntakeSite): void {
  const id = message.params?.["requestId"]
  if (message.method !== "notifications/cancelled") {
    // The modern era has no other notifications to a server.
    if (readClaim(message).kind === "none") servers.take("legacy", message)
  } else if (!listens.cancel(id)) {
    for (const era of ERAS) if (servers.spoken(era)) servers.take(era, message)
    // A cancelled request is not answered.
    outbox.skip(id)
  }
}

const ERAS: readonly Leg["era"][] = ["legacy", "modern"]

function takeRequest(message: JSONRPCRequest, site: IntakeSite): void {
  const { connection, outbox, servers, listens, isClosing } = site
  const client = connection.introduce && clientOf(message)
  if (client !== undefined) connection.introduce?.(client)
  const era = isClosing() && !goesOn(message) ? CLOSING : eraOf(message, servers)
  if (typeof era === "object") outbox.answer(message.id, formatError(era, message.id))
  else if (era === "modern" && message.method === LISTEN) listens.open(message)
  else servers.take(era, message)
}

/** Returns a request's era, or its claim's error. */
function eraOf(message: JSONRPCRequest, servers: PipeServers): Leg["era"] | RpcError {
  const claim = readClaim(message)
  if (claim.kind === "fault") return claim.error
  if (claim.kind === "version") return findVersionFault(claim.version) ?? "modern"
  // A modern client must state the revision in each request, unless it has also used the legacy era.
  const isLegacy = message.method === "initialize" || servers.spoken("legacy") || !servers.spoken("modern")
  return isLegacy ? "legacy" : UNCLAIMED
}

const UNCLAIMED: RpcError = {
  code: INVALID_PARAMS,
  message:
    '"params._meta" does not name the revision: expected "io.modelcontextprotocol/protocolVersion" in each request',
  data: { at: "/params/_meta" },
}
