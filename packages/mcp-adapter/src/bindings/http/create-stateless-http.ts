import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { Endpoint } from "../../endpoint.js"
import { createServer } from "../server/create-server.js"
import type { HttpExchange, HttpHalf } from "./http-exchange.js"
import { methodNotAllowed, nothingThere, refuse } from "./refuse.js"
import { toCaller } from "./to-caller.js"
import { toStrict } from "./to-strict.js"

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
