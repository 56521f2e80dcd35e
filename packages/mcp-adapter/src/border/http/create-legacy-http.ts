import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import type { Endpoint } from "../../endpoint.js"
import { comparePaths } from "../../names/path.js"
import { principalKey } from "../../views/principal-key.js"
import { createServer } from "../server/create-server.js"
import type { Streams } from "./create-streams.js"
import { type HttpExchange, type HttpHalf, methodNotAllowed, nothingThere, refuse, toCaller } from "./http-exchange.js"
import { createSentEvents } from "./sent-events.js"
import { createSessions, openSession, type Session, type SessionLimits } from "./sessions.js"

const METHODS = ["GET", "POST", "DELETE"]

/** The legacy era over HTTP (2025-03-26 to 2025-11-25): sessions, each with a stream that notices arrive on. */
export function createLegacyHttp(endpoint: Endpoint, streams: Streams, limits: SessionLimits): HttpHalf {
  const sent = createSentEvents(limits.maxSentSize ?? 10_000_000)
  const sessions = createSessions(endpoint, limits)
  const pass = async (session: Session, exchange: HttpExchange): Promise<Response> => {
    const done = sessions.use(session)
    try {
      const response = await session.serve(exchange)
      const over = session.answered(exchange, response)
      return streams.pass(exchange, response, () => {
        over()
        done()
      })
    } catch (error) {
      done()
      throw error
    }
  }
  const open = async (exchange: HttpExchange): Promise<Response> => {
    const session = await openSession(endpoint, exchange, sent)
    if (session === undefined) return nothingThere()
    const response = await session.serve(exchange)
    if (session.established()) sessions.add(session)
    else await session.close()
    return streams.pass(exchange, response, sessions.use(session))
  }
  return {
    async serve(exchange) {
      if (!METHODS.includes(exchange.request.method)) return refuse(405, -32000, "Method not allowed.")
      const id = exchange.request.headers.get("mcp-session-id")
      if (id === null && isInitializeRequest(exchange.body)) return open(exchange)
      if (id === null) return refuse(400, -32000, "Bad Request: Mcp-Session-Id header is required")
      const session = sessions.find(id)
      if (session === undefined || !isFor(session, exchange)) {
        return refuse(404, -32001, "Session not found")
      }
      return pass(session, exchange)
    },
    close: () => sessions.close(),
  }
}

/** A session is not a credential: in the hands of another principal, one of other scopes, or elsewhere, it does not exist. */
function isFor(session: Session, { principal, path }: HttpExchange): boolean {
  return principalKey(session.principal) === principalKey(principal) && comparePaths(session.path, path) === 0
}

/**
 * The legacy era over HTTP (2025-03-26 to 2025-11-25) without sessions: each POST is answered with one JSON body, and
 * forgotten. No notice and no progress can arrive; a dropped connection is the only way to cancel.
 */
export function createStatelessHttp(endpoint: Endpoint): HttpHalf {
  const open = new Set<Server>()
  return {
    async serve(exchange) {
      if (exchange.request.method !== "POST") return methodNotAllowed("POST")
      const connection = endpoint.openAt(exchange.path, exchange.principal)
      if (connection === undefined) return nothingThere()
      const caller = toCaller(exchange, { transport: "http", era: "legacy", notices: false })
      const server = createServer(endpoint, connection, caller)
      open.add(server)
      try {
        return await answer(server, exchange)
      } finally {
        open.delete(server)
        await server.close()
        connection.release()
      }
    },
    async close() {
      await Promise.all([...open].map((server) => server.close()))
    },
  }
}

async function answer(server: Server, exchange: HttpExchange): Promise<Response> {
  const { request, body } = toStrict(exchange)
  const { authInfo } = exchange.extra
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  // The SDK never settles a JSON answer whose server has closed.
  const closed = new Promise<Response>((resolve) => {
    server.onclose = () => resolve(refuse(503, -32000, "Service Unavailable: the connection or the server is closing"))
  })
  await server.connect(transport)
  const leave = () => void server.close()
  request.signal.addEventListener("abort", leave, { once: true })
  if (request.signal.aborted) leave()
  return Promise.race([transport.handleRequest(request, { parsedBody: body, ...(authInfo && { authInfo }) }), closed])
}

/**
 * Puts right what bare `curl` and hand-written clients leave out, where nothing is lost by it, so that the SDK takes it. All
 * leniency of the stateless leg is here. The content type stays required: it is what makes a browser ask first.
 */
function toStrict({ request, body }: HttpExchange): Pick<HttpExchange, "request" | "body"> {
  return { request: withAccept(request), body: toStrictMessage(body) }
}

/** The SDK answers 406 unless both types are accepted; here the answer is JSON, whatever was asked for. */
function withAccept({ url, method, headers, signal }: Request): Request {
  const accepting = new Headers(headers)
  accepting.set("accept", "application/json, text/event-stream")
  return new Request(url, { method, headers: accepting, signal })
}

function toStrictMessage(message: unknown): unknown {
  if (typeof message !== "object" || message === null || !("method" in message)) return message
  if (message.method === "initialize") return withIntroduction(message)
  return isNotification(message.method) ? withoutId(message) : message
}

/** All three are required (2025-11-25, basic/lifecycle). A version that does not exist is answered with the latest. */
function withIntroduction(initialize: object): object {
  const given = "params" in initialize ? initialize.params : {}
  const unsaid = { protocolVersion: "", capabilities: {}, clientInfo: { name: "unknown", version: "unknown" } }
  return { ...initialize, params: { ...unsaid, ...(typeof given === "object" && given) } }
}

function isNotification(method: unknown): boolean {
  return typeof method === "string" && method.startsWith("notifications/")
}

/** With an id it would be a request, for a method that does not exist; without, it is accepted with a 202. */
function withoutId(notification: object): object {
  return Object.fromEntries(Object.entries(notification).filter(([name]) => name !== "id"))
}
