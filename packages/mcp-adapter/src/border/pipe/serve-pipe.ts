import type { JSONRPCNotification, JSONRPCRequest } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Leg } from "../../calls/call-context.js"
import type { Endpoint } from "../../endpoint.js"
import { INVALID_PARAMS } from "../../handlers/handler.js"
import { createDeferred, once, subscribeIn } from "../../runtime/host.js"
import { createClientReport } from "../server/client-report.js"
import { findVersionFault, hasBatches, readClaim } from "../server/era.js"
import { findSizeFault, type JsonSize, measureValue } from "../server/json-size.js"
import { type CheckedBody, checkBody, goesOn, type ValidMessage } from "../server/messages.js"
import { CLOSING, formatError, INVALID_REQUEST, PARSE_ERROR, type RpcError } from "../server/rpc-error.js"
import { createStops } from "../server/stops.js"
import { createWork, STOPPING } from "../server/work.js"
import { createOutbox, type Outbox } from "./outbox.js"
import { createPipeListens, createPipeServers, type PipeListens, type PipeServers } from "./pipe-servers.js"

/** One connection that carries everything, as texts: what a transport gives. */
export interface Pipe {
  /**
   * Sends a text, which is one JSON-RPC message or a batch of them, in the order of the calls. Where it gives a promise, that
   * resolves once the other end, or the system, has taken it, and rejects when the connection is gone.
   */
  send(text: string): void | Promise<void>
  /** Ends the connection; what was sent before still goes out. Called once at most. */
  close(): void | Promise<void>
}

/** Who is at the other end of a pipe, and what kind of pipe it is. */
export interface PipeOptions {
  /** What the pipe is, such as `websocket`: it stands in events, logs and the context of calls. */
  readonly transport: string
  /** Who calls; the same for everything that comes through. Default: anonymous. */
  readonly principal?: Principal | undefined
  /** What limits count by, where there is no principal, such as an address. Default: the transport, so that all such are one. */
  readonly client?: string | undefined
  /** How long calls may still run when it is closed from this end, in milliseconds. Default 0. */
  readonly drainMs?: number | undefined
  /** How many listen streams may be open; one more is refused. Default 100. */
  readonly maxListens?: number | undefined
}

/** A connection being served. */
export interface PipeServer {
  /**
   * Ends it: further requests are refused, those before may be answered in the time there is for it, what still runs then is
   * told to stop, and answered, and listen streams get their last message. A person's answer still comes through. Idempotent.
   */
  close(): Promise<void>
  /** Resolves once it has ended and everything it held is given back. */
  readonly closed: Promise<void>
}

/** The end of a pipe that a transport holds. */
export interface PipeEnd extends PipeServer {
  /** Takes a text that came, in the order of coming. Never throws. */
  receive(text: string): void
  /** Refuses what came and could not be taken in, such as a line that is too long: nobody knows which request it was. */
  refuse(message: string): void
  /** Notes that the other end is gone: calls are aborted. Idempotent. */
  gone(): void
}

/**
 * Serves one connection that carries everything, in both eras: each message is of the era that it claims. Notifications beyond
 * 1 MB wait until the other end has read more, the same one once. The pipe is ended when the other end reads nothing for 10 s
 * while something waits, or lets more than 16 MB wait. Answers are not counted: they were asked for.
 */
export function servePipe(endpoint: Endpoint, pipe: Pipe, options: PipeOptions): PipeEnd {
  const { host } = endpoint
  const { principal, transport, drainMs = 0 } = options
  const client = principal?.id ?? options.client ?? transport
  const caller = { client, session: crypto.randomUUID(), ...(principal && { principal }) }
  const connection = endpoint.open(principal)
  const tell = createClientReport(host)
  const stops = createStops()
  const work = createWork(host)
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
  // Where the view is gone, there is nothing left to serve.
  const following = subscribeIn(host.ledger, connection.view.settled, { complete: () => void shut(0) })
  const refuse = (error: RpcError): void => {
    tell(client, { code: "body_refused", message: `a message of "${client}" was refused: ${error.message}` })
    outbox.send(formatError(error, null))
  }
  return {
    closed: life.closed,
    gone: life.gone,
    receive: createIntake({ outbox, servers, listens, refuse, isClosing: () => closing !== undefined }),
    refuse: (message) => refuse({ code: INVALID_REQUEST, message }),
    close: () => shut(drainMs),
  }
}

/** How a pipe ends. */
interface Life extends Pick<PipeEnd, "gone" | "closed"> {
  /** Sends what is left to say, then ends it from this end. */
  finish(): void
  /** Ends it from this end, whatever was not sent. */
  leave(): void
}

/** What ending a pipe takes. */
interface LifeSite {
  /** Says what is left to say. */
  readonly last: () => Promise<void>
  /** Gives everything back. */
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
    // One that is gone already cannot be closed.
    void Promise.resolve(pipe.close()).catch(() => undefined)
  })
  return { closed: closed.promise, gone, leave, finish: once(() => void last().then(leave, leave)) }
}

/** What an intake hands messages to. */
interface IntakeSite {
  readonly outbox: Outbox
  readonly servers: PipeServers
  readonly listens: PipeListens
  /** Answers what is no message, and tells the operator. */
  readonly refuse: (error: RpcError) => void
  readonly isClosing: () => boolean
}

/** How much JSON one text may hold. */
const LIMITS: JsonSize = { depth: 100, values: 1_000_000 }

/** Takes the texts that come over a pipe, in the order of coming, and hands each message to whom it is for. */
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

const NO_JSON = "the message is no JSON: expected a JSON-RPC message"

function takeMessage(checked: ValidMessage, site: IntakeSite, inBatch = false): void {
  const { outbox, servers } = site
  if (checked.kind === "response") servers.take("legacy", checked.message)
  else if (checked.kind === "notification") takeNotification(checked.message, site)
  else {
    // What listens is answered when the server ends it, so it is not waited for.
    if (!inBatch && checked.message.method !== LISTEN) outbox.expect([checked.message.id], false)
    takeRequest(checked.message, site)
  }
}

const LISTEN = "subscriptions/listen"

function takeNotification(message: JSONRPCNotification, { outbox, servers, listens }: IntakeSite): void {
  const id = message.params?.["requestId"]
  if (message.method !== "notifications/cancelled") {
    // The modern era has none that would be for a server.
    if (readClaim(message).kind === "none") servers.take("legacy", message)
  } else if (!listens.cancel(id)) {
    for (const era of ERAS) if (servers.spoken(era)) servers.take(era, message)
    // A request that was cancelled is not answered.
    outbox.skip(id)
  }
}

const ERAS: readonly Leg["era"][] = ["legacy", "modern"]

function takeRequest(message: JSONRPCRequest, { outbox, servers, listens, isClosing }: IntakeSite): void {
  const era = isClosing() && !goesOn(message) ? CLOSING : eraOf(message, servers)
  if (typeof era === "object") outbox.answer(message.id, formatError(era, message.id))
  else if (era === "modern" && message.method === LISTEN) listens.open(message)
  else servers.take(era, message)
}

/** The era of a request; or what is wrong with what it says of that. */
function eraOf(message: JSONRPCRequest, servers: PipeServers): Leg["era"] | RpcError {
  const claim = readClaim(message)
  if (claim.kind === "fault") return claim.error
  if (claim.kind === "version") return findVersionFault(claim.version) ?? "modern"
  // A client that has said what it speaks has to say so each time, unless it speaks both.
  const isLegacy = message.method === "initialize" || servers.spoken("legacy") || !servers.spoken("modern")
  return isLegacy ? "legacy" : UNCLAIMED
}

const UNCLAIMED: RpcError = {
  code: INVALID_PARAMS,
  message:
    '"params._meta" does not name the revision: expected "io.modelcontextprotocol/protocolVersion" in each request',
  data: { at: "/params/_meta" },
}
