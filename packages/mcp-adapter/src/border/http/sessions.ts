import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Endpoint } from "../../endpoint.js"
import type { Path } from "../../names/path.js"
import type { Report } from "../../runtime/diagnostic.js"
import { type Cancel, startTimer } from "../../runtime/host.js"
import { once } from "../../runtime/once.js"
import { createLiveServer } from "../server/create-server.js"
import type { NoticeSender } from "../server/deliver-notices.js"
import type { HttpExchange } from "./http-exchange.js"
import type { SentEvents, SessionEvents } from "./sent-events.js"

/** How many sessions are kept, and for how long. */
export interface SessionLimits {
  /** How many at most; then the one least recently used goes, idle ones first. Default 1,000. */
  readonly maxSessions?: number
  /** How long one is kept after its last request has been answered, in milliseconds. An open stream keeps it. Default 300,000. */
  readonly sessionIdleMs?: number
  /**
   * How much of what was sent is kept for clients whose connection breaks and who come back for the rest, in characters
   * over all sessions; the oldest goes first. Default 10,000,000.
   */
  readonly maxSentSize?: number
}

/** The sessions of one HTTP endpoint; the SDK has no store of its own. */
interface Sessions {
  /** Keeps a session until it ends, is idle for too long, or has to make room. */
  add(session: Session): void
  /** Finds a session by id. */
  find(id: string): Session | undefined
  /**
   * Marks a session as used.
   *
   * @returns Marks that use as over; idempotent.
   */
  use(session: Session): () => void
  /** Ends them all. */
  close(): Promise<void>
}

/** No sessions yet. */
export function createSessions(endpoint: Endpoint, limits: SessionLimits): Sessions {
  const { maxSessions = 1_000, sessionIdleMs = 300_000 } = limits
  // In the order of use, the least recent first.
  const kept = new Map<string, Kept>()
  let open = true
  const drop = ({ session, stopWaiting }: Kept, reason: string): void => {
    stopWaiting()
    kept.delete(session.id)
    endpoint.host.report({ code: "session_dropped", message: `a session was dropped: ${reason}` })
    void session.close()
  }
  const makeRoom = (): void => {
    if (kept.size < maxSessions) return
    const all = [...kept.values()]
    const least = all.find(({ uses }) => uses === 0) ?? all[0]
    if (least !== undefined) drop(least, `there are more than ${maxSessions}; raise the option "maxSessions"`)
  }
  return {
    add(session) {
      if (!open) return void session.close()
      makeRoom()
      const added: Kept = { session, uses: 0, stopWaiting: () => {} }
      kept.set(session.id, added)
      void session.closed.then(() => {
        added.stopWaiting()
        kept.delete(session.id)
      })
    },
    find: (id) => kept.get(id)?.session,
    use(session) {
      const used = kept.get(session.id)
      if (used === undefined) return () => {}
      used.stopWaiting()
      used.uses += 1
      kept.delete(session.id)
      kept.set(session.id, used)
      return once(() => {
        used.uses -= 1
        if (used.uses > 0 || kept.get(session.id) !== used) return
        used.stopWaiting = startTimer(endpoint.host, sessionIdleMs, () =>
          drop(used, `it was idle for ${sessionIdleMs} ms`),
        )
      })
    },
    async close() {
      open = false
      await Promise.all([...kept.values()].map(({ session }) => session.close()))
    },
  }
}

interface Kept {
  readonly session: Session
  uses: number
  stopWaiting: Cancel
}

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
  const ended = endpoint.host.ledger.open("session")
  const id = crypto.randomUUID()
  const events = sent.of(id)
  const held = holdNotices(endpoint.host.report)
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

/** Keeps what a client is to be told while it has no stream to be told over. */
interface HeldNotices {
  /** Sends through a server while there is a stream; else the newest of each kind, and URI, waits for one. */
  through(server: NoticeSender): NoticeSender
  /**
   * Marks a stream as open; what waited goes out.
   *
   * @returns Marks it as ended; to be called once.
   */
  opened(): () => void
}

/** No stream is open yet. */
function holdNotices(report: Report): HeldNotices {
  const waiting = new Map<string, () => Promise<void>>()
  let streams = 0
  const send = async (what: string, notice: () => Promise<void>): Promise<void> => {
    if (streams > 0) return notice()
    waiting.set(what, notice)
  }
  return {
    through: (server) => ({
      sendToolListChanged: () => send("tools", () => server.sendToolListChanged()),
      sendPromptListChanged: () => send("prompts", () => server.sendPromptListChanged()),
      sendResourceListChanged: () => send("resources", () => server.sendResourceListChanged()),
      sendResourceUpdated: (params) => send(`updated ${params.uri}`, () => server.sendResourceUpdated(params)),
    }),
    opened() {
      streams += 1
      const due = [...waiting.values()]
      waiting.clear()
      for (const notice of due) {
        notice().catch((cause: unknown) =>
          report({ code: "transport_failed", message: "a notice that had waited for a stream was not sent", cause }),
        )
      }
      return () => {
        streams -= 1
      }
    },
  }
}
