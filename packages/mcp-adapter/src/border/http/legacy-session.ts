import type { Principal } from "@x/agentic-service"
import type { Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import type { Path } from "../../names/path.js"
import type { Cancel } from "../../runtime/host.js"
import { ownerKey } from "../../views/principal-key.js"
import { findFault } from "../server/create-server.js"
import { deliverNotices, formatNotice } from "../server/deliver-notices.js"
import { hasResumption } from "../server/era.js"
import type { ValidMessage } from "../server/messages.js"
import type { Stops } from "../server/stops.js"
import type { Beats } from "./event-stream.js"
import type { McpVisitor } from "./mcp-visitor.js"
import type { SentEvents } from "./sent-events.js"
import { createSessionLine, type LineSite, type SessionLine } from "./session-line.js"
import { createSessionPost, type PostOptions, type SessionPost } from "./session-post.js"
import { createSessionStreams, type SessionStreams } from "./session-streams.js"

/** A legacy HTTP session (2025-11-25, basic/transports, session management). */
export interface LegacySession {
  /** The unguessable `Mcp-Session-Id`. */
  readonly id: string
  /**
   * Whether a principal may use the session: the one who opened it, with the same claims but for those of one token, and with
   * at least the same scopes. Scopes added later apply to its calls; what the session sees stays the same.
   */
  admits(principal: Principal | undefined): boolean
  /** The key that limits count by. */
  readonly client: string
  /** The session's service, as link keys from the root. Requests for another service do not belong to it. */
  readonly path: Path
  /** The negotiated revision; `undefined` before that. */
  version(): string | undefined
  /**
   * Answers the messages of one POST.
   *
   * @param ended - Runs once, when all are answered, even if the client has left.
   */
  post(visitor: McpVisitor, messages: Messages, ended: () => void): void
  /** Answers a GET: with the missed events of a stream if the client names one, otherwise with a new stream for notices. */
  listen(visitor: McpVisitor): void
  /** Ends the session: ends its streams, aborts its calls and releases its resources; idempotent. */
  close(): void
  /** Sets the one callback that runs when the session has ended; at once if it already has. */
  onClosed(callback: () => void): void
}

/** The owner of a session. */
interface Holder extends Pick<LegacySession, "admits"> {
  /** The caller, with its latest request's principal. */
  readonly caller: Caller
}

function createHolder(opener: Principal | undefined, rest: Omit<Caller, "principal">): Holder {
  if (opener === undefined) return { caller: rest, admits: (principal) => principal === undefined }
  let latest = opener
  const owner = ownerKey(opener)
  return {
    caller: {
      ...rest,
      get principal() {
        return latest
      },
    },
    admits(principal) {
      if (principal === undefined || ownerKey(principal) !== owner) return false
      const scopes = new Set(principal.scopes)
      if (opener.scopes?.every((scope) => scopes.has(scope)) === false) return false
      latest = principal
      return true
    },
  }
}

/** The messages of one POST. */
export interface Messages {
  /** The messages. */
  readonly all: readonly ValidMessage[]
  /** Whether they came as a batch. */
  readonly batch: boolean
}

/** The parts that all sessions of an endpoint share. */
export interface SessionSite {
  /** The served endpoint. */
  readonly endpoint: Endpoint
  /** The sent events kept for resumption. */
  readonly sent: SentEvents
  /** Tells running requests to stop. */
  readonly stops: Stops
}

const LEG: Leg = { transport: "http", era: "legacy", notices: true }

/** How a session is opened. */
export interface Opening {
  /** The opening request. */
  readonly visitor: McpVisitor
  /** The id and revision of a lost session that is taken up without `initialize`. Default: the session is new. */
  readonly former?: { readonly id: string; readonly version: string }
}

/**
 * Opens a session for an `initialize` request, to be posted afterwards, or takes up a lost one for any other request. Since
 * most sessions are idle most of the time, the part that answers requests is created on demand and soon released.
 */
export function openSession(
  { endpoint, sent, stops }: SessionSite,
  connection: Connection,
  { visitor, former }: Opening,
): LegacySession {
  const { principal, client, path, failed, beats } = visitor
  const id = former?.id ?? crypto.randomUUID()
  const { caller, admits } = createHolder(principal, { client: principal?.id ?? id, session: id, leg: LEG })
  const ended = endpoint.host.ledger.open("session")
  const streams = createSessionStreams(endpoint.host, {
    events: () => sent.of(client),
    resumable: () => line.introduction !== undefined && hasResumption(line.introduction.version),
  })
  const line: LineSite = {
    ...{ endpoint, connection, caller, stops, failed, asked: 0, notify: streams.notify },
    introduction: former && { version: former.version, about: UNKNOWN },
  }
  const lines = createLines(beats, line)
  let stopNotices: (() => void) | undefined
  let closed = false
  let forget = (): void => {}
  const close = (): void => {
    if (closed) return
    closed = true
    stopNotices?.()
    lines.close()
    streams.close()
    connection.release()
    ended()
    forget()
  }
  const beginNotices = (): void => {
    const { clientInfo } = line.introduction?.about ?? {}
    const send = (notice: ServerNotice): void =>
      streams.notify(notice.kind === "updated" ? notice.uri : notice.kind, formatNotice(notice))
    stopNotices ??= deliverNotices(endpoint, connection, { send, caller, clientInfo, ended: close })
  }
  if (former !== undefined) {
    beginNotices()
    tellAllChanged(endpoint, streams)
  }
  return {
    id,
    admits,
    client,
    path,
    version: () => line.introduction?.version,
    post: (poster, messages, done) => take(poster, messages, { id, line, lines, streams, isReady: beginNotices, done }),
    listen: (listener) => streams.listen(listener, (key) => lines.now()?.find(key)),
    onClosed(callback) {
      forget = callback
      if (closed) callback()
    },
    close,
  }
}

/** The client information of a session that was taken up. */
const UNKNOWN = { clientInfo: { name: "unknown", version: "unknown" }, clientCapabilities: {} }

/** Announces that all lists have changed, since a client that resumes knows only older ones. */
function tellAllChanged(endpoint: Endpoint, { notify }: SessionStreams): void {
  const capabilities = endpoint.capabilities(LEG)
  for (const kind of ["tools", "resources"] as const) {
    if (capabilities[kind]?.listChanged) notify(kind, formatNotice({ kind }))
  }
}

/** The session's line, which exists only while needed. */
interface Lines {
  /** Returns the current line, if any. */
  now(): SessionLine | undefined
  /** Returns the current line, or creates one. */
  open(): SessionLine
  /** Releases the line if it holds no state. */
  rest(): void
  /** Closes the line. */
  close(): void
}

function createLines(beats: Beats, site: LineSite): Lines {
  let line: SessionLine | undefined
  let stopBeats: Cancel | undefined
  const close = (): void => {
    stopBeats?.()
    line?.close()
    line = undefined
  }
  const rest = (): void => {
    if (line?.idle() === true) close()
  }
  return {
    now: () => line,
    open() {
      if (line === undefined) stopBeats = beats.add(rest)
      line ??= createSessionLine(site)
      return line
    },
    rest,
    close,
  }
}

/** Answers the messages of a POST. One without requests gets a 202. */
function take(poster: McpVisitor, { all, batch }: Messages, site: PostSite): void {
  const { line, lines, isReady, done } = site
  const requests = all.filter(({ kind }) => kind === "request").length
  const post = requests > 0 ? begin(poster, { requests, batch }, site) : undefined
  if (post === undefined) {
    poster.send({ status: 202 })
    done()
  }
  for (const { kind, message } of all) {
    if (kind === "request") {
      const fault = findFault(line.endpoint, { connection: line.connection, leg: LEG }, message)
      if (post !== undefined) lines.open().request(message, post, fault)
    }
    // Notices start once the client says that it is ready (2025-11-25, basic/lifecycle).
    else if (kind === "notification" && message.method === "notifications/initialized") isReady()
    else lines.now()?.take(message)
  }
}

function begin(poster: McpVisitor, asked: Pick<PostOptions, "requests" | "batch">, site: PostSite): SessionPost {
  const { id, line, lines, streams, done } = site
  const opens = line.introduction === undefined
  const post = createSessionPost(poster, {
    requests: asked.requests,
    batch: asked.batch,
    key: streams.nextKey(),
    resumable: streams.resumable,
    // The id is sent once, with the answer that opens the session (2025-11-25, basic/transports, session management).
    headers: opens ? { "mcp-session-id": id } : {},
    ended() {
      // A client may send nothing more after its introduction.
      if (opens) lines.rest()
      done()
    },
  })
  poster.onEnd((end) => {
    if (end === "lost") lines.now()?.abandon(post)
  })
  return post
}

/** Session parts needed to answer one POST. */
interface PostSite {
  readonly id: string
  readonly line: LineSite
  readonly lines: Lines
  readonly streams: SessionStreams
  /** Runs when the client says that it is ready. */
  isReady(): void
  /** Runs once, when all requests are answered. */
  done(): void
}
