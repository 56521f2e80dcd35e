import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Endpoint } from "../endpoint.js"
import type { Path } from "../names/path.js"
import { createLiveServer } from "./create-live-server.js"
import type { HttpExchange } from "./http-exchange.js"

/** A legacy HTTP session (2025-11-25, basic/transports, session management). */
export interface Session {
  /** What the client sends as `Mcp-Session-Id`; unguessable. */
  readonly id: string
  /** Who opened it. Nobody else may use it. */
  readonly principal: Principal | undefined
  /** Which service it is with, as link keys from the root. Requests to another are not its own. */
  readonly path: Path
  /** Answers one request of the session. */
  serve(exchange: HttpExchange): Promise<Response>
  /** Whether the client's `initialize` was accepted. */
  established(): boolean
  /** Ends it: its streams end, its calls are aborted; idempotent. */
  close(): Promise<void>
  /** Resolves once it has ended and everything it held is given back. */
  readonly closed: Promise<void>
}

/** Opens a session for an `initialize` request, which is then to be served; `undefined` where its path leads nowhere. */
export async function openSession(
  endpoint: Endpoint,
  { path, principal }: Pick<HttpExchange, "path" | "principal">,
): Promise<Session | undefined> {
  const connection = endpoint.openAt(path, principal)
  if (connection === undefined) return undefined
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
    path,
    serve: ({ request, body, extra }) =>
      transport.handleRequest(request, { parsedBody: body, ...(extra.authInfo && { authInfo: extra.authInfo }) }),
    established: () => transport.sessionId !== undefined,
    close: () => server.close(),
    closed,
  }
}
