import type { Principal } from "@x/agentic-service"
import type { Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import type { Path } from "../../names/path.js"
import type { Cancel } from "../../runtime/host.js"
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
  /** Ends it: its streams end, its calls are aborted, everything it held is given back; idempotent. */
  close(): void
  /** Runs `callback` once it has ended; at once where it has. There is one such callback. */
  onClosed(callback: () => void): void
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

/**
 * Opens a session for an `initialize` request, which is then to be posted; or one that is taken up, for any other. Most
 * sessions wait most of the time: what it takes to answer is made when something is asked, and not kept for long.
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

/** What is known of a client whose introduction is forgotten. */
const UNKNOWN = { clientInfo: { name: "unknown", version: "unknown" }, clientCapabilities: {} }

/** What a client knows that goes on with a session is from before. */
function tellAllChanged(endpoint: Endpoint, { notify }: SessionStreams): void {
  const capabilities = endpoint.capabilities(LEG)
  for (const kind of ["tools", "resources"] as const) {
    if (capabilities[kind]?.listChanged) notify(kind, formatNotice({ kind }))
  }
}

/** The line of a session, while it has one. */
interface Lines {
  /** The one there is, if any. */
  now(): SessionLine | undefined
  /** The one there is, or a new one. */
  open(): SessionLine
  /** Lets go of it, unless something of it is needed. */
  rest(): void
  /** Ends it. */
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

/** Takes the messages of a POST, and answers it. One without requests is accepted, and that is all. */
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
    // Nothing is told before the client says that it is ready (2025-11-25, basic/lifecycle).
    else if (kind === "notification" && message.method === "notifications/initialized") isReady()
    else lines.now()?.take(message)
  }
}

function begin(poster: McpVisitor, asked: Pick<PostOptions, "requests" | "batch">, site: PostSite): SessionPost {
  const { id, line, lines, streams, done } = site
  const opens = line.introduction === undefined
  const post = createSessionPost(poster, {
    ...{ ...asked, key: streams.nextKey(), resumable: streams.resumable },
    // The id is told once, to who has just been given it (2025-11-25, basic/transports, session management).
    headers: opens ? { "mcp-session-id": id } : {},
    ended() {
      // A client that has introduced itself may have nothing more to ask.
      if (opens) lines.rest()
      done()
    },
  })
  poster.onEnd((end) => {
    if (end === "lost") lines.now()?.abandon(post)
  })
  return post
}

/** What one POST needs of its session. */
interface PostSite {
  readonly id: string
  readonly line: LineSite
  readonly lines: Lines
  readonly streams: SessionStreams
  /** Runs when the client says that it is ready. */
  isReady(): void
  /** Runs once, when all of it is answered. */
  done(): void
}
