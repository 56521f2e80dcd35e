import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/server"
import { createDeferred } from "@x/base"
import { type ClientInfo, type Leg, toClientInfo } from "../../calls/call-context.js"
import { HEADER_MISMATCH } from "../../calls/param-headers.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import { type Handler, METHOD_NOT_FOUND, MISSING_CAPABILITY } from "../../handlers/handler.js"
import { once } from "../../runtime/host.js"
import { createClientReport } from "../server/client-report.js"
import { createServer, findFault } from "../server/create-server.js"
import { encodeMessage } from "../server/encode-message.js"
import { type ListenFilter, readFilter } from "../server/listen-filter.js"
import { createListens, type Listens } from "../server/listens.js"
import { answerPlain, type PlainRequest, readPlain } from "../server/plain-request.js"
import { CLASSIFIED, connectModern } from "../server/sdk-transport.js"
import type { Stops } from "../server/stops.js"
import { toEvent } from "./event-stream.js"
import { refuse } from "./exchange.js"
import { createLazyAnswer, type LazyAnswer, readAccepts } from "./lazy-answer.js"
import { createListenLimit, type ListenLimit, type ListenLimits } from "./listen-limit.js"
import type { McpVisitor } from "./mcp-visitor.js"
import { whileAdmitted } from "./while-admitted.js"

const LEG: Leg = { transport: "http", era: "modern", notices: true }

/** The modern era over HTTP (2026-07-28). */
export interface ModernHttp {
  /** Answers a request with a valid claim and headers; resolves when it is answered. */
  serve(visitor: McpVisitor, request: JSONRPCRequest): Promise<void>
  /** Ends all listen streams, each after its final message. */
  close(): void
}

/** Creates the modern era over HTTP. Each request gets its own server, and a lease until it is answered. */
export function createModernHttp(endpoint: Endpoint, stops: Stops, limits: ListenLimits): ModernHttp {
  const listens = createListens(endpoint)
  const limit = createListenLimit(limits, createClientReport(endpoint.host))
  // Disabled streams are not announced.
  const leg: Leg = limits.maxListens === 0 || limits.maxTotalListens === 0 ? { ...LEG, notices: false } : LEG
  return {
    async serve(visitor, request) {
      const connection = visitor.open()
      if (connection === undefined) return
      if (request.method === "subscriptions/listen") {
        const taken = readListen(visitor, request)
        if (taken !== undefined) await listen(endpoint, { listens, limit, connection, ...taken }, visitor)
        else connection.release()
      } else await answer(endpoint, { connection, request, stops, leg }, visitor)
    },
    close: () => listens.close(),
  }
}

/** The context of one answer. */
interface ModernRequest {
  readonly connection: Connection
  readonly leg: Leg
  readonly request: JSONRPCRequest
  readonly stops: Stops
  /** {@link ServerOptions.instead}. */
  readonly instead?: () => Handler
}

async function answer(endpoint: Endpoint, given: ModernRequest, visitor: McpVisitor): Promise<void> {
  const { connection, request } = given
  const lazy = createLazyAnswer(visitor, { accepts: readAccepts(visitor.head) })
  const release = once(() => connection.release())
  const finish = (message: object, dispatching: boolean): void => {
    release()
    const code: unknown = Reflect.get(Object(Reflect.get(message, "error")), "code")
    const status = typeof code === "number" ? statusOf(code, dispatching) : 200
    lazy.finish(encodeMessage(endpoint.host, message), status)
  }
  try {
    const fault = findFault(endpoint, { connection, leg: LEG }, request)
    if (fault !== undefined) return finish({ jsonrpc: "2.0", id: request.id, error: fault }, false)
    const plain = readPlain(connection, LEG.era, request)
    const to = { visitor, lazy, release, finish }
    await (plain === undefined ? answerBySdk(endpoint, given, to) : answerInLane(endpoint, { plain, ...given }, to))
  } finally {
    release()
  }
}

/** The destination of an answer. */
interface Answering {
  readonly visitor: McpVisitor
  readonly lazy: LazyAnswer
  /** Releases the lease. */
  readonly release: () => void
  /**
   * Sends the answer.
   *
   * @param dispatching - Whether no handler has run yet.
   */
  readonly finish: (message: object, dispatching: boolean) => void
}

async function answerInLane(
  endpoint: Endpoint,
  given: ModernRequest & { readonly plain: PlainRequest },
  to: Answering,
): Promise<void> {
  const { visitor, lazy } = to
  const { stop, giveUp, end } = given.stops.begin()
  const left = createDeferred()
  // A client that disconnects cancels its request (2026-07-28, basic/transports/streamable-http, cancellation).
  visitor.onEnd((how) => {
    if (how !== "taken") giveUp()
    left.resolve()
  })
  const give = async (): Promise<void> => {
    const answer = await answerPlain(endpoint, given.plain, {
      caller: visitor.callerOn(given.leg),
      stop,
      failed: visitor.failed,
      tell: (message) => lazy.send(JSON.stringify(message)),
    })
    end()
    if (answer.kind === "message") return to.finish(answer.message, false)
    await answerBySdk(endpoint, { ...given, instead: () => answer.handler }, to)
  }
  // A client that has left does not wait for the answer.
  give().then(left.resolve, left.reject)
  await left.promise
}

async function answerBySdk(endpoint: Endpoint, given: ModernRequest, to: Answering): Promise<void> {
  const { connection, request, stops, instead } = given
  const { visitor, lazy, release, finish } = to
  // The SDK answers synchronously only if no handler exists or the request does not fit one.
  let dispatching = false
  const send = (message: JSONRPCMessage, related: string | number | undefined): void => {
    if (!("method" in message)) finish(message, dispatching)
    // Messages that belong to no request cannot be delivered here.
    else if (related === request.id) lazy.send(JSON.stringify(message))
  }
  const server = createServer(endpoint, connection, {
    caller: visitor.callerOn(given.leg),
    stops,
    failed: visitor.failed,
    only: request.method,
    instead,
  })
  const transport = await connectModern(server, {
    send: async (message, options) => send(message, options?.relatedRequestId),
    close: release,
  })
  visitor.onEnd((end) => {
    if (end !== "taken") void transport.close()
  })
  if (visitor.ended()) return
  dispatching = true
  transport.onmessage?.(request, CLASSIFIED)
  dispatching = false
  await new Promise<void>((resolve) => visitor.onAnswered(resolve))
}

/**
 * Returns the HTTP status of an error: its own if no handler ran, otherwise 200, except for a missing capability and for headers
 * that do not match the arguments (2026-07-28, basic/transports/streamable-http and basic/index).
 */
function statusOf(code: number, dispatching: boolean): number {
  if (code === MISSING_CAPABILITY || code === HEADER_MISMATCH) return 400
  return dispatching && code === METHOD_NOT_FOUND ? 404 : 200
}

/** Reads the filter of a listen request. Answers an invalid one with an error and returns `undefined`. */
function readListen(
  visitor: McpVisitor,
  { id, params }: JSONRPCRequest,
): Pick<ListenRequest, "id" | "filter" | "info"> | undefined {
  const filter = readFilter(params)
  if (!("code" in filter)) return { id, filter, info: toClientInfo(params?._meta) }
  visitor.send(refuse(statusOf(filter.code, false), filter, id))
  return undefined
}

/** The context of a listen stream. */
interface ListenRequest {
  readonly listens: Listens
  readonly limit: ListenLimit
  readonly connection: Connection
  readonly id: string | number
  readonly filter: ListenFilter
  /** The client's own name and version. */
  readonly info: ClientInfo | undefined
}

async function listen(endpoint: Endpoint, given: ListenRequest, visitor: McpVisitor): Promise<void> {
  const { listens, limit, connection, id, filter, info } = given
  let end = (): void => {}
  const taken = limit.take(visitor.client, filter, () => end())
  if (typeof taken !== "function") {
    connection.release()
    return visitor.send(taken)
  }
  visitor.onEnd(() => {
    taken()
    connection.release()
  })
  const stream = visitor.stream()
  const send = (json: string): void => stream.notify(json)
  const last = (json: string): void => {
    stream.write(toEvent(json))
    stream.end()
  }
  const { client, principal } = visitor
  const caller = { client, ...(principal && { principal }), ...(info && { info }) }
  const listening = await listens.open(connection, LEG, { id, filter, caller, send, end: last })
  visitor.forgetBody()
  end = listening.end
  const release = whileAdmitted(visitor, endpoint.host, end)
  visitor.onEnd(() => {
    release()
    listening.leave()
  })
}
