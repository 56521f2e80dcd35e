import { type JSONRPCRequest, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server"
import type { Connection, Endpoint } from "../../endpoint.js"
import { comparePaths } from "../../names/path.js"
import { findParamsFault } from "../server/check-params.js"
import { hasBatches } from "../server/era.js"
import { INVALID_REQUEST, NO_SESSION, REFUSED } from "../server/rpc-error.js"
import type { Stops } from "../server/stops.js"
import { type Answer, refuse, tryLater } from "./exchange.js"
import { type LegacySession, type Messages, type Opening, openSession } from "./legacy-session.js"
import type { McpVisitor } from "./mcp-visitor.js"
import { createSentEvents } from "./sent-events.js"
import { createSessions, type SessionLimits, type Sessions } from "./sessions.js"
import { createTakeUp, type TakeUp } from "./take-up.js"

/** The legacy era over HTTP, with sessions or without. */
export interface LegacyHttp {
  /** The supported HTTP methods. */
  readonly methods: readonly string[]
  /** Answers a GET or a DELETE. */
  serve(visitor: McpVisitor): Promise<void>
  /** Answers a POST with checked messages; resolves once all are answered, even if the client has left. */
  post(visitor: McpVisitor, messages: Messages): Promise<void>
  /** Ends all sessions. */
  close(): Promise<void>
}

/** Creates the legacy era over HTTP (2025-03-26 to 2025-11-25) with sessions, each with streams for notices. */
export function createLegacyHttp(endpoint: Endpoint, stops: Stops, limits: SessionLimits): LegacyHttp {
  const site = { endpoint, stops, sent: createSentEvents(limits.maxSentSize ?? 10_000_000) }
  const sessions = createSessions(endpoint.host, limits)
  const takeUp = createTakeUp(limits, endpoint.host.report)
  const find = createFinder(sessions, takeUp, (connection, opening) => openSession(site, connection, opening))
  const open = async (visitor: McpVisitor, messages: Messages): Promise<void> => {
    const connection = visitor.open()
    if (connection === undefined) return
    const session = openSession(site, connection, { visitor })
    sessions.add(session)
    return post(session, visitor, messages)
  }
  const post = async (session: LegacySession, visitor: McpVisitor, messages: Messages): Promise<void> => {
    const used = sessions.use(session)
    await new Promise<void>((resolve) => session.post(visitor, messages, resolve))
    used()
  }
  return {
    methods: ["GET", "POST", "DELETE"],
    async serve(visitor) {
      const session = await find(visitor, visitor.head.method === "GET")
      if (session === undefined) return
      if ("status" in session) return visitor.send(session)
      const used = sessions.use(session)
      if (visitor.head.method === "GET") {
        visitor.onEnd(used)
        return session.listen(visitor)
      }
      const marked = await takeUp.never(visitor, session.id)
      used()
      if (!marked) return visitor.send(tryLater(503, UNMARKED))
      session.close()
      visitor.send({ status: 200 })
    },
    async post(visitor, messages) {
      const opening = openingOf(messages)
      if (opening !== undefined && visitor.head.headers.get("mcp-session-id") === null) {
        const fault = findParamsFault("initialize", opening.params)
        if (fault === undefined) return open(visitor, messages)
        return visitor.send(refuse(200, fault, opening.id))
      }
      const session = await find(
        visitor,
        messages.all.some(({ kind }) => kind === "request"),
      )
      if (session === undefined) return
      if ("status" in session) return visitor.send(session)
      const fault = findOrderFault(session, messages, opening !== undefined)
      if (fault !== undefined) {
        return visitor.send(refuse(400, { code: INVALID_REQUEST, message: fault }, visitor.requestId))
      }
      return post(session, visitor, messages)
    },
    close: async () => sessions.close(),
  }
}

/** Creates the lookup of a request's session. */
function createFinder(
  sessions: Sessions,
  takeUp: TakeUp,
  open: (connection: Connection, opening: Opening) => LegacySession,
) {
  /** Opens an unknown session under its old id if that is allowed and safe. */
  const openFormer = async (visitor: McpVisitor, id: string): Promise<LegacySession | Answer | undefined> => {
    const former = await takeUp.former(visitor, id)
    // Another request of the client may have taken it up meanwhile.
    const taken = sessions.find(id)
    if (taken !== undefined && isFor(taken, visitor)) return taken
    if (former === undefined || taken !== undefined) return noSession(visitor)
    const connection = visitor.open()
    if (connection === undefined) return undefined
    const session = open(connection, { visitor, former })
    sessions.add(session)
    return session
  }
  /** Returns the session, or the answer that refuses the request; `undefined` if a refusal was sent already. */
  return (
    visitor: McpVisitor,
    usable = false,
  ): Promise<LegacySession | Answer | undefined> | LegacySession | Answer => {
    const id = visitor.head.headers.get("mcp-session-id")
    if (id === null) return refuse(400, { code: REFUSED, message: toNoId(visitor) }, visitor.requestId)
    const session = sessions.find(id)
    if (session !== undefined && isFor(session, visitor)) return checkVersion(visitor) ?? session
    return session === undefined && usable ? openFormer(visitor, id) : noSession(visitor)
  }
}

function noSession({ requestId }: McpVisitor): Answer {
  return refuse(404, { code: NO_SESSION, message: "Session not found" }, requestId)
}

const UNMARKED = "the session cannot be ended now: the server cannot record that it ended"

/** Says that the session id is missing. A page cannot read the id if a CORS layer in front does not expose it. */
function toNoId({ head }: McpVisitor): string {
  const missing = 'Mcp-Session-Id header is required: send the id from the answer to "initialize"'
  if (head.headers.get("origin") === null) return missing
  return `${missing}; a CORS layer in front must name Mcp-Session-Id in Access-Control-Expose-Headers`
}

/**
 * Whether a session belongs to the caller. A session id is not a credential: to another principal, to fewer scopes or at
 * another path, the session does not exist.
 */
function isFor(session: LegacySession, { principal, path }: McpVisitor): boolean {
  return comparePaths(session.path, path) === 0 && session.admits(principal)
}

/** Refuses an unsupported revision header. No header means the negotiated revision (2025-06-18, basic/transports). */
export function checkVersion({ head, requestId }: McpVisitor): Answer | undefined {
  const version = head.headers.get("mcp-protocol-version")
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined
  const spoken = SUPPORTED_PROTOCOL_VERSIONS.join(", ")
  const message = `Unsupported protocol version: ${version.slice(0, 100)} (supported versions: ${spoken})`
  return refuse(400, { code: REFUSED, message }, requestId)
}

/** Returns the `initialize` request if it is the only message. */
export function openingOf({ all, batch }: Messages): JSONRPCRequest | undefined {
  const [first] = all
  return !batch && first?.kind === "request" && first.message.method === "initialize" ? first.message : undefined
}

/** Returns what is wrong with messages that may not come now, or not together. */
function findOrderFault(session: LegacySession, { all, batch }: Messages, opening: boolean): string | undefined {
  const version = session.version()
  if (opening) return 'the session is already initialized: to open another, send "initialize" without Mcp-Session-Id'
  if (!batch) return undefined
  if (all.some(({ kind, message }) => kind === "request" && message.method === "initialize")) {
    return '"initialize" is part of a batch: send it alone'
  }
  const allowed = version !== undefined && hasBatches(version)
  return allowed ? undefined : `revision ${version ?? "not negotiated yet"} has no batches: expected one message`
}
