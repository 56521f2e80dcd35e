import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Endpoint } from "../../endpoint.js"
import type { Path } from "../../names/path.js"
import { createLiveServer } from "../server/create-live-server.js"
import { holdNotices } from "./hold-notices.js"
import type { HttpExchange } from "./http-exchange.js"
import type { SentEvents, SessionEvents } from "./sent-events.js"

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
  /**
   * Notes that a request has been answered. Where the answer is the stream that notices go over, those that waited for it
   * go out.
   *
   * @returns Notes the end of the answer; to be called once.
   */
  answered(exchange: HttpExchange, response: Response): () => void
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
  sent: SentEvents,
): Promise<Session | undefined> {
  const connection = endpoint.openAt(path, principal)
  if (connection === undefined) return undefined
  const ended = endpoint.ledger.open("session")
  const id = crypto.randomUUID()
  const events = sent.of(id)
  const held = holdNotices(endpoint.report)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    eventStore: events,
    retryInterval: RETRY,
  })
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
    through: held.through,
    closed() {
      connection.release()
      events.close()
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
      transport.handleRequest(startingAnew(request, events), {
        parsedBody: body,
        ...(extra.authInfo && { authInfo: extra.authInfo }),
      }),
    answered({ request }, response) {
      const resumed = request.headers.get(LAST_EVENT)
      const stream = resumed === null ? NOTICES : (events.streamOf(resumed) ?? NOTICES)
      return request.method === "GET" && response.ok && stream === NOTICES ? held.opened() : () => {}
    },
    established: () => transport.sessionId !== undefined,
    close: () => server.close(),
    closed,
  }
}

/** When a client whose stream has ended is to come back, in milliseconds. */
const RETRY = 1_000

const LAST_EVENT = "last-event-id"

/** What the SDK calls the stream that is open beside the answers; a test holds it to that. */
const NOTICES = "_GET_stream"

/** A client that lost more than is kept begins with a new stream; the SDK would send it away, and it would stay away. */
function startingAnew(request: Request, events: SessionEvents): Request {
  const last = request.headers.get(LAST_EVENT)
  if (last === null || events.streamOf(last) !== undefined) return request
  const headers = new Headers(request.headers)
  headers.delete(LAST_EVENT)
  return new Request(request, { headers })
}
