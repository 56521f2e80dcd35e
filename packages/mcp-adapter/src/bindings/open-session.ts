import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Endpoint } from "../endpoint.js"
import { createLiveServer } from "./create-live-server.js"
import type { HttpExchange } from "./http-exchange.js"

/** A legacy HTTP session (2025-11-25, basic/transports, session management). */
export interface Session {
  /** What the client sends as `Mcp-Session-Id`; unguessable. */
  readonly id: string
  /** Who opened it. Nobody else may use it. */
  readonly principal: Principal | undefined
  /** Answers one request of the session. */
  serve(exchange: HttpExchange): Promise<Response>
  /** Whether the client's `initialize` was accepted. */
  established(): boolean
  /** Ends it: its streams end, its calls are aborted; idempotent. */
  close(): Promise<void>
  /** Resolves once it has ended and everything it held is given back. */
  readonly closed: Promise<void>
}

/** Opens a session for the caller of an `initialize` request, which is then to be served. */
export async function openSession(endpoint: Endpoint, principal: Principal | undefined): Promise<Session> {
  const connection = endpoint.open(principal)
  const ended = endpoint.ledger.open("session")
  const id = crypto.randomUUID()
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
  let over = () => {}
  const closed = new Promise<void>((resolve) => {
    over = resolve
  })
  const server = createLiveServer(endpoint, connection, {
    caller: {
      ...(principal && { principal }),
      client: principal?.id ?? id,
      leg: { transport: "http", era: "legacy", notices: true },
    },
    closed() {
      connection.release()
      ended()
      over()
    },
  })
  await server.connect(transport)
  return {
    id,
    principal,
    serve: ({ request, body, extra }) =>
      transport.handleRequest(request, { parsedBody: body, ...(extra.authInfo && { authInfo: extra.authInfo }) }),
    established: () => transport.sessionId !== undefined,
    close: () => server.close(),
    closed,
  }
}
