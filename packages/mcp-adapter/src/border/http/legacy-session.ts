import type { JSONRPCRequest } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { Path } from "../../names/path.js"
import { createDeferred } from "../../runtime/host.js"
import { aboutClient, createLiveServer, findFault, type ServerOptions } from "../server/create-server.js"
import { formatNotice } from "../server/deliver-notices.js"
import { hasResumption } from "../server/era.js"
import { createLane } from "../server/lane.js"
import type { ValidMessage } from "../server/messages.js"
import type { RpcError } from "../server/rpc-error.js"
import type { Stops } from "../server/stops.js"
import { toEvent } from "./event-stream.js"
import type { McpVisitor } from "./mcp-visitor.js"
import { createNoticeStreams, type NoticeStreams } from "./notice-streams.js"
import type { SentEvents, SessionEvents } from "./sent-events.js"
import { createSessionLine, type SessionLine } from "./session-line.js"
import { createSessionPost, type PostOptions, type SessionPost } from "./session-post.js"
import type { Visitor } from "./site.js"

/** A legacy HTTP session (2025-11-25, basic/transports, session management). */
export interface LegacySession {
  /** What the client sends as `Mcp-Session-Id`; unguessable. */
  readonly id: string
  /**
   * Whether somebody may use it: who opened it, also once more was granted, which then holds for its calls. It goes on seeing
   * what it saw.
   */
  admits(principal: Principal | undefined): boolean
  /** What limits count it by. */
  readonly client: string
  /** Which service it is with, as link keys from the root. Requests to another are not its own. */
  readonly path: Path
  /** The revision that was agreed on; `undefined` before that. */
  version(): string | undefined
  /**
   * Takes the messages of one POST, and answers it.
   *
   * @param ended - Runs once, when all of it is answered, whether the client is there or not.
   */
  post(visitor: McpVisitor, messages: Messages, ended: () => void): void
  /** Answers a GET: with what the client missed of a stream, where it says so, else with a new one for notices. */
  listen(visitor: McpVisitor): void
  /** Ends it: its streams end, its calls are aborted; idempotent. */
  close(): Promise<void>
  /** Resolves once it has ended and everything it held is given back. */
  readonly closed: Promise<void>
}

/** Who holds a session. */
interface Holder extends Pick<LegacySession, "admits"> {
  /** Who calls: what it holds now is read anew for each request. */
  readonly caller: Caller
}

function createHolder(opener: Principal | undefined, rest: Omit<Caller, "principal">): Holder {
  if (opener === undefined) return { caller: rest, admits: (principal) => principal === undefined }
  let latest = opener
  return {
    caller: {
      ...rest,
      get principal() {
        return latest
      },
    },
    admits(principal) {
      const scopes = new Set(principal?.scopes)
      if (principal?.id !== opener.id || opener.scopes?.every((scope) => scopes.has(scope)) === false) return false
      latest = principal
      return true
    },
  }
}

/** What came in one POST. */
export interface Messages {
  /** The messages. */
  readonly all: readonly ValidMessage[]
  /** Whether they came as a batch. */
  readonly batch: boolean
}

/** What sessions share. */
export interface SessionSite {
  /** What is served. */
  readonly endpoint: Endpoint
  /** What was sent. */
  readonly sent: SentEvents
  /** Tells requests to stop. */
  readonly stops: Stops
}

const LEG: Leg = { transport: "http", era: "legacy", notices: true }

/** Who opens a session. */
export interface Opening {
  /** The request that does. */
  readonly visitor: McpVisitor
  /** What the session was, where it is taken up anew and nobody initializes it. Default: nothing. */
  readonly former?: { readonly id: string; readonly version: string }
}

/** Opens a session for an `initialize` request, which is then to be posted; or one that is taken up, for any other. */
export async function openSession(
  { endpoint, sent, stops }: SessionSite,
  connection: Connection,
  { visitor, former }: Opening,
): Promise<LegacySession> {
  const { principal, client, path } = visitor
  const id = former?.id ?? crypto.randomUUID()
  const ended = endpoint.host.ledger.open("session")
  const events = sent.of(client)
  let version: string | undefined
  const resumable = (): boolean => version !== undefined && hasResumption(version)
  const notices = createNoticeStreams({ host: endpoint.host, events, resumable })
  const posts = createPosts(events, resumable)
  const holder = createHolder(principal, { client: principal?.id ?? id, leg: LEG })
  const over = createDeferred()
  const { line, server } = createEngine(endpoint, connection, {
    ...{ stops, notices, caller: holder.caller, failed: visitor.failed },
    version: () => version,
    agreed: (agreed) => (version = agreed),
    closed() {
      notices.close()
      posts.close()
      events.close()
      connection.release()
      ended()
      over.resolve()
    },
  })
  await server.connect(line.transport)
  if (former !== undefined) await goOn(former.version, { line, notices, endpoint })
  const faultOf = (request: JSONRPCRequest): RpcError | undefined =>
    findFault(endpoint, { connection, leg: LEG }, request)
  return {
    id,
    admits: holder.admits,
    client,
    path,
    closed: over.promise,
    version: () => version,
    post(poster, { all, batch }, done) {
      // The id is told once, to who has just been given it (2025-11-25, basic/transports, session management).
      const headers = version === undefined ? { "mcp-session-id": id } : {}
      const requests = all.filter(({ kind }) => kind === "request").length
      const post = posts.begin(poster, { requests, batch, headers }, done)
      poster.onEnd((end) => {
        if (end === "lost") line.abandon(post)
      })
      for (const checked of all) {
        if (checked.kind === "request") line.request(checked.message, post, faultOf(checked.message))
        else line.take(checked.message)
      }
    },
    listen: (listener) => listen(listener, { events, posts, notices }),
    close: () => server.close(),
  }
}

/** What answers in a session. */
interface EngineSite extends Pick<ServerOptions, "caller" | "failed" | "stops"> {
  readonly notices: NoticeStreams
  /** The revision that was agreed on. */
  version(): string | undefined
  agreed(version: string): void
  /** Runs when it has closed. */
  closed(): void
}

/** The SDK's server of a session, and the line to it, with the lane beside it. */
function createEngine(endpoint: Endpoint, connection: Connection, site: EngineSite) {
  const { caller, stops, failed, notices, version, agreed, closed } = site
  const line: SessionLine = createSessionLine({
    host: endpoint.host,
    notices,
    agreed,
    lane: (ways) =>
      createLane(endpoint, connection, {
        ...ways,
        caller: () => (version() === undefined ? undefined : Object.assign({}, caller, aboutClient(server))),
        stops,
        failed,
      }),
  })
  const stopAsking = stops.add(line.endAsking)
  const server = createLiveServer(endpoint, connection, {
    caller,
    stops,
    failed,
    instead: line.instead,
    notify: (notice) => notices.send(notice.kind === "updated" ? notice.uri : notice.kind, formatNotice(notice)),
    closed() {
      stopAsking()
      line.close()
      closed()
    },
  })
  return { line, server }
}

/** Has a session of before go on: what its client knows is from before. */
async function goOn(
  version: string,
  { line, notices, endpoint }: { line: SessionLine; notices: NoticeStreams; endpoint: Endpoint },
): Promise<void> {
  await line.introduce(version)
  const capabilities = endpoint.capabilities(LEG)
  for (const kind of ["tools", "resources"] as const) {
    if (capabilities[kind]?.listChanged) notices.send(kind, formatNotice({ kind }))
  }
}

/** Opens the stream a client asks for: a new one, or one that it lost. */
function listen(listener: Visitor, { events, posts, notices }: Streams): void {
  const last = listener.head.headers.get("last-event-id") ?? ""
  const key = events.streamOf(last)
  if (key !== undefined && posts.isOne(key)) posts.resume(listener, key, last)
  // A client that lost more than is kept begins with a new stream.
  else notices.open(listener, key === undefined ? undefined : { key, last })
}

/** Everything that a session sends. */
interface Streams {
  readonly events: SessionEvents
  readonly posts: Posts
  readonly notices: NoticeStreams
}

/** The POSTs of a session whose answers are not complete, and those that can be come back to. */
interface Posts {
  /** Begins to answer one, which may hold no request at all: then it is accepted, and that is all. */
  begin(visitor: Visitor, options: Pick<PostOptions, "requests" | "batch" | "headers">, ended: () => void): SessionPost
  /** Whether a stream is one of theirs. */
  isOne(key: string): boolean
  /** Tells a client that came back what it missed of a stream, and goes on with it where there is more to come. */
  resume(visitor: Visitor, key: string, last: string): void
  /** Ends them all. */
  close(): void
}

function createPosts(events: SessionEvents, resumable: () => boolean): Posts {
  const open = new Set<SessionPost>()
  const byKey = new Map<string, SessionPost>()
  let count = 0
  return {
    begin(visitor, options, ended) {
      count += 1
      const key = `${POST}${count}`
      const post = createSessionPost(visitor, {
        ...options,
        resumable() {
          if (!resumable()) return undefined
          byKey.set(key, post)
          return { events, key }
        },
        ended() {
          open.delete(post)
          byKey.delete(key)
          ended()
        },
      })
      if (options.requests > 0) open.add(post)
      else {
        visitor.send({ status: 202 })
        ended()
      }
      return post
    },
    isOne: (key) => key.startsWith(POST),
    resume(visitor, key, last) {
      const post = byKey.get(key)
      const missed = events.after(last)
      // A client that has all of it is told not to come again.
      if (post === undefined && missed.length === 0) return visitor.send({ status: 204 })
      const stream = visitor.stream()
      for (const { id, json } of missed) stream.write(toEvent(json, id))
      if (post === undefined) stream.end()
      else post.attach(stream)
    },
    close() {
      for (const post of [...open]) post.end()
    },
  }
}

const POST = "answer "
