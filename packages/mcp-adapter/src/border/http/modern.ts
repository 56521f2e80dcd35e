import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/server"
import { type ClientInfo, type Leg, toClientInfo } from "../../calls/call-context.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import { type Handler, METHOD_NOT_FOUND, MISSING_CAPABILITY } from "../../handlers/handler.js"
import { createDeferred, once } from "../../runtime/host.js"
import { createClientReport } from "../server/client-report.js"
import { createServer, findFault } from "../server/create-server.js"
import { encodeMessage } from "../server/encode-message.js"
import { answerPlain, type PlainRequest, readPlain } from "../server/lane.js"
import { createListens, type ListenFilter, type Listens, readFilter } from "../server/listens.js"
import { CLASSIFIED, connectModern } from "../server/modern-transport.js"
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
  /** Answers a request whose claim and headers are in order; resolves when it is answered. */
  serve(visitor: McpVisitor, request: JSONRPCRequest): Promise<void>
  /** Ends what listens, with its last message. */
  close(): void
}

/** A server for each request, and a lease for as long as its answer takes. */
export function createModernHttp(endpoint: Endpoint, stops: Stops, limits: ListenLimits): ModernHttp {
  const listens = createListens(endpoint)
  const limit = createListenLimit(limits, createClientReport(endpoint.host))
  // What nobody may listen to is not announced.
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

/** What answering one request takes. */
interface Asked {
  readonly connection: Connection
  readonly leg: Leg
  readonly request: JSONRPCRequest
  readonly stops: Stops
  /** {@link ServerOptions.instead}. */
  readonly instead?: () => Handler
}

async function answer(endpoint: Endpoint, asked: Asked, visitor: McpVisitor): Promise<void> {
  const { connection, request } = asked
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
    await (plain === undefined ? answerBySdk(endpoint, asked, to) : answerInLane(endpoint, { plain, ...asked }, to))
  } finally {
    release()
  }
}

/** Where an answer goes. */
interface Answering {
  readonly visitor: McpVisitor
  readonly lazy: LazyAnswer
  /** Gives the lease back. */
  readonly release: () => void
  /**
   * Sends the answer.
   *
   * @param dispatching - Whether no handler has been asked yet.
   */
  readonly finish: (message: object, dispatching: boolean) => void
}

async function answerInLane(
  endpoint: Endpoint,
  asked: Asked & { readonly plain: PlainRequest },
  to: Answering,
): Promise<void> {
  const { stop, giveUp, end } = asked.stops.begin()
  const left = createDeferred()
  // A client that leaves gives its request up (2026-07-28, basic/transports/streamable-http, cancellation).
  to.visitor.onEnd((how) => {
    if (how !== "taken") giveUp()
    left.resolve()
  })
  const give = async (): Promise<void> => {
    const answer = await answerPlain(endpoint, asked.plain, { caller: to.visitor.callerOn(LEG), stop })
    end()
    if (answer.kind === "message") return to.finish(answer.message, false)
    await answerBySdk(endpoint, { ...asked, instead: () => answer.handler }, to)
  }
  // Nobody waits for what is given up.
  give().then(left.resolve, left.reject)
  await left.promise
}

async function answerBySdk(endpoint: Endpoint, asked: Asked, to: Answering): Promise<void> {
  const { connection, request, stops, instead } = asked
  const { visitor, lazy, release, finish } = to
  // What the engine answers at once, it answers without a handler: there is none, or the request is not one for it.
  let dispatching = false
  const send = (message: JSONRPCMessage, related: string | number | undefined): void => {
    if (!("method" in message)) finish(message, dispatching)
    // What belongs to no request has no way to go.
    else if (related === request.id) lazy.send(JSON.stringify(message))
  }
  const server = createServer(endpoint, connection, {
    caller: visitor.callerOn(asked.leg),
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
 * The HTTP status of an error: for what no handler has answered, its own; for what a handler has, 200, but for a capability
 * that is missing (2026-07-28, basic/transports/streamable-http and basic/index).
 */
function statusOf(code: number, dispatching: boolean): number {
  if (code === MISSING_CAPABILITY) return 400
  return dispatching && code === METHOD_NOT_FOUND ? 404 : 200
}

/** What a listen wants; or says what is wrong with it, and gives nothing. */
function readListen(
  visitor: McpVisitor,
  { id, params }: JSONRPCRequest,
): Pick<Asking, "id" | "filter" | "info"> | undefined {
  const filter = readFilter(params)
  if (!("code" in filter)) return { id, filter, info: toClientInfo(params?._meta) }
  visitor.send(refuse(200, filter, id))
  return undefined
}

/** What opening a listen stream takes. */
interface Asking {
  readonly listens: Listens
  readonly limit: ListenLimit
  readonly connection: Connection
  readonly id: string | number
  readonly filter: ListenFilter
  /** What the client says it is. */
  readonly info: ClientInfo | undefined
}

async function listen(endpoint: Endpoint, asking: Asking, visitor: McpVisitor): Promise<void> {
  const { listens, limit, connection, id, filter, info } = asking
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
