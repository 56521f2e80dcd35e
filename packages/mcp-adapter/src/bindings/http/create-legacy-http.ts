import { isInitializeRequest } from "@modelcontextprotocol/server"
import type { Endpoint } from "../../endpoint.js"
import { comparePaths } from "../../names/path.js"
import { principalKey } from "../../views/principal-key.js"
import type { Streams } from "./create-streams.js"
import type { HttpExchange, HttpHalf } from "./http-exchange.js"
import { openSession, type Session } from "./open-session.js"
import { nothingThere, refuse } from "./refuse.js"
import { createSentEvents } from "./sent-events.js"
import { createSessions, type SessionLimits } from "./sessions.js"

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
