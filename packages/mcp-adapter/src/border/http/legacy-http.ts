import { type JSONRPCRequest, SUPPORTED_PROTOCOL_VERSIONS, type Transport } from "@modelcontextprotocol/server"
import { isRecord } from "@x/tool-schemas/json"
import { LRUCache } from "lru-cache"
import type { Leg } from "../../calls/call-context.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import { comparePaths } from "../../names/path.js"
import { createDeferred } from "../../runtime/host.js"
import { findParamsFault } from "../server/check-params.js"
import { createServer, findFault } from "../server/create-server.js"
import { hasBatches } from "../server/era.js"
import type { ValidMessage } from "../server/messages.js"
import { INVALID_REQUEST, NO_SESSION, REFUSED } from "../server/rpc-error.js"
import type { Stops } from "../server/stops.js"
import { type Answer, refuse, toJsonAnswer } from "./exchange.js"
import { type LegacySession, type Messages, type Opening, openSession } from "./legacy-session.js"
import type { McpVisitor } from "./mcp-visitor.js"
import { createSentEvents } from "./sent-events.js"
import { createSessions, type SessionLimits, type Sessions } from "./sessions.js"

/** The legacy era over HTTP, in one of the ways it can be served. */
export interface LegacyHttp {
  /** The HTTP methods that it has. */
  readonly methods: readonly string[]
  /** Answers a GET or a DELETE. */
  serve(visitor: McpVisitor): Promise<void>
  /** Answers a POST, whose messages have the shape of some; resolves when all of it is answered, whether its client is there or not. */
  post(visitor: McpVisitor, messages: Messages): Promise<void>
  /** Ends what is open. */
  close(): Promise<void>
}

/** The legacy era over HTTP (2025-03-26 to 2025-11-25): sessions, each with streams that notices arrive on. */
export function createLegacyHttp(endpoint: Endpoint, stops: Stops, limits: SessionLimits): LegacyHttp {
  const site = { endpoint, stops, sent: createSentEvents(limits.maxSentSize ?? 10_000_000) }
  const sessions = createSessions(endpoint.host, limits)
  const { find, takeUp } = createFinder(sessions, limits, (connection, opening) =>
    openSession(site, connection, opening),
  )
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
      const session = find(visitor, visitor.head.method === "GET")
      if (session === undefined) return
      if ("status" in session) return visitor.send(session)
      const used = sessions.use(session)
      if (visitor.head.method === "GET") {
        visitor.onEnd(used)
        return session.listen(visitor)
      }
      used()
      takeUp.never(session.id)
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
      const session = find(
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

/** Finds the session that a request belongs to. */
function createFinder(
  sessions: Sessions,
  limits: SessionLimits,
  open: (connection: Connection, opening: Opening) => LegacySession,
) {
  const takeUp = createTakeUp(limits, (visitor, former) => {
    const connection = visitor.open()
    if (connection === undefined) return undefined
    const session = open(connection, { visitor, former })
    sessions.add(session)
    return session
  })
  /** The session, or why it cannot be used; `undefined` where that is said already. */
  const find = (visitor: McpVisitor, usable = false): LegacySession | Answer | undefined => {
    const id = visitor.head.headers.get("mcp-session-id")
    if (id === null) return refuse(400, { code: REFUSED, message: NO_ID }, visitor.requestId)
    const session = sessions.find(id)
    if (session !== undefined && isFor(session, visitor)) return checkVersion(visitor) ?? session
    if (session === undefined && usable && takeUp.can(visitor, id)) return takeUp.session(visitor, id)
    return refuse(404, { code: NO_SESSION, message: "Session not found" }, visitor.requestId)
  }
  return { find, takeUp }
}

const NO_ID = 'Mcp-Session-Id header is required: expected the id that "initialize" was answered with'

/** Takes up sessions that are not known, where that is wanted and safe. */
interface TakeUp {
  /** Whether this one can be. */
  can(visitor: McpVisitor, id: string): boolean
  /** Takes it up; `undefined` where it was answered that nothing is there. */
  session(visitor: McpVisitor, id: string): LegacySession | undefined
  /** Notes one that its client has ended. */
  never(id: string): void
}

function createTakeUp(
  { takeUpSessions = false }: SessionLimits,
  open: (visitor: McpVisitor, former: NonNullable<Opening["former"]>) => LegacySession | undefined,
): TakeUp {
  const ended = new LRUCache<string, true>({ max: 1_000 })
  return {
    can: (visitor, id) => takeUpSessions && OURS.test(id) && !ended.has(id) && versionOf(visitor) !== undefined,
    session: (visitor, id) => open(visitor, { id, version: versionOf(visitor) ?? "" }),
    never: (id) => void ended.set(id, true),
  }
}

/** What `crypto.randomUUID` makes. */
const OURS = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function versionOf({ head }: McpVisitor): string | undefined {
  const version = head.headers.get("mcp-protocol-version")
  return version !== null && SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? version : undefined
}

/** A session is not a credential: in the hands of another principal, one of other scopes, or elsewhere, it does not exist. */
function isFor(session: LegacySession, { principal, path }: McpVisitor): boolean {
  return comparePaths(session.path, path) === 0 && session.admits(principal)
}

/** Absent is the revision that was agreed on; what is not spoken is refused (2025-06-18, basic/transports). */
function checkVersion({ head, requestId }: McpVisitor): Answer | undefined {
  const version = head.headers.get("mcp-protocol-version")
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined
  const spoken = SUPPORTED_PROTOCOL_VERSIONS.join(", ")
  const message = `Unsupported protocol version: ${version.slice(0, 100)} (supported versions: ${spoken})`
  return refuse(400, { code: REFUSED, message }, requestId)
}

/** The `initialize` that stands alone. */
function openingOf({ all, batch }: Messages) {
  const [first] = all
  return !batch && first?.kind === "request" && first.message.method === "initialize" ? first.message : undefined
}

/** What may not come now, or not together. */
function findOrderFault(session: LegacySession, { all, batch }: Messages, opening: boolean): string | undefined {
  const version = session.version()
  if (opening) return "the session is initialized already: open another one without its id"
  if (!batch) return undefined
  if (all.some(({ kind, message }) => kind === "request" && message.method === "initialize")) {
    return '"initialize" stands in a batch: expected it alone'
  }
  const allowed = version !== undefined && hasBatches(version)
  return allowed ? undefined : `revision ${version ?? "of before"} has no batches: expected one message`
}

const LEG: Leg = { transport: "http", era: "legacy", notices: false }

/**
 * The legacy era over HTTP (2025-03-26 to 2025-11-25) without sessions: each POST is answered with one JSON body, and
 * forgotten. No notice and no progress can arrive; a dropped connection is the only way to cancel.
 */
export function createStatelessHttp(endpoint: Endpoint, stops: Stops): LegacyHttp {
  return {
    methods: ["POST"],
    serve: async () => {},
    async post(visitor, messages) {
      const refused = checkVersion(visitor)
      if (refused !== undefined) return visitor.send(refused)
      const connection = visitor.open()
      if (connection === undefined) return
      try {
        await answer(endpoint, { connection, stops, messages }, visitor)
      } finally {
        connection.release()
      }
    },
    close: async () => {},
  }
}

interface Asked {
  readonly connection: Connection
  readonly stops: Stops
  readonly messages: Messages
}

async function answer(endpoint: Endpoint, { connection, stops, messages }: Asked, visitor: McpVisitor): Promise<void> {
  const requests = messages.all.flatMap(toRequest)
  if (requests.length === 0) return visitor.send({ status: 202 })
  const server = createServer(endpoint, connection, { caller: visitor.callerOn(LEG), stops, failed: visitor.failed })
  const answers = createAnswers(requests)
  await server.connect(answers.transport)
  visitor.onEnd(() => void server.close())
  for (const [number, request] of requests.entries()) {
    if (visitor.ended()) break
    const fault = findFault(endpoint, { connection, leg: LEG }, request)
    if (fault === undefined) answers.transport.onmessage?.({ ...request, id: number })
    else await answers.transport.send({ jsonrpc: "2.0", id: number, error: fault })
  }
  const texts = await answers.complete
  await server.close()
  connection.release()
  visitor.send(toJsonAnswer(200, messages.batch ? `[${texts.join(",")}]` : (texts[0] ?? "")))
}

/** The answers to some requests, each known to the SDK by its place, since ids may be the same. */
interface Answers {
  readonly transport: Transport
  /** Resolves once all are there, or the connection is closed. */
  readonly complete: Promise<readonly string[]>
}

function createAnswers(requests: readonly JSONRPCRequest[]): Answers {
  const texts: string[] = []
  const { promise: complete, resolve } = createDeferred<readonly string[]>()
  let open = true
  const transport: Transport = {
    start: async () => {},
    async send(message) {
      // A notification has no way to go.
      if ("method" in message) return
      const request = requests[Number(message.id)]
      texts.push(JSON.stringify({ ...message, id: request?.id }))
      if (texts.length === requests.length) resolve(texts)
    },
    async close() {
      if (!open) return
      open = false
      resolve(texts)
      transport.onclose?.()
    },
  }
  return { transport, complete }
}

/**
 * Puts right what bare `curl` and hand-written clients leave out, where nothing is lost by it. All leniency of the stateless leg
 * is here. The content type stays required: it is what makes a browser ask first.
 */
function toRequest({ kind, message }: ValidMessage): readonly JSONRPCRequest[] {
  // With an id, a notification would be a request, for a method that does not exist; it is accepted as what it is meant to be.
  if (kind !== "request" || message.method.startsWith("notifications/")) return []
  return [message.method === "initialize" ? withIntroduction(message) : message]
}

/** All three are required (2025-11-25, basic/lifecycle). A version that does not exist is answered with the latest. */
function withIntroduction(initialize: JSONRPCRequest): JSONRPCRequest {
  const given: unknown = initialize.params
  const unsaid = { protocolVersion: "", capabilities: {}, clientInfo: { name: "unknown", version: "unknown" } }
  return { ...initialize, params: { ...unsaid, ...(isRecord(given) && given) } }
}
