import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, Transport } from "@modelcontextprotocol/server"
import { createDeferred } from "@x/base"
import type { CallContext } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import { createSlots, type Slots } from "../../runtime/slots.js"
import { CANCELLED, createAskedIds } from "../server/asked-ids.js"
import { aboutClient, createServer, type ServerOptions } from "../server/create-server.js"
import { encodeMessage } from "../server/encode-message.js"
import { createLane } from "../server/lane.js"
import { CLOSING, NO_SESSION, type RpcError } from "../server/rpc-error.js"
import { createSdkTransport } from "../server/sdk-transport.js"
import type { SessionPost } from "./session-post.js"

/** Answers the requests of a session, for as long as some are open. */
export interface SessionLine {
  /** Answers a request, or sends its error. */
  request(request: JSONRPCRequest, post: SessionPost, fault: RpcError | undefined): void
  /** Handles all other messages: answers to our requests, cancellations, further notifications. */
  take(message: JSONRPCNotification | JSONRPCResponse): void
  /** Cancels the requests of a POST that can no longer be answered. */
  abandon(post: SessionPost): void
  /** Returns the POST with a given key if some of its requests are unanswered. */
  find(key: string): SessionPost | undefined
  /** Whether a new line could replace this one without losing state. */
  idle(): boolean
  /** Answers the open requests with an error and closes the line. */
  close(): void
}

/** The outcome of a client's `initialize`. */
export interface Introduction {
  /** The negotiated revision. */
  readonly version: string
  /** The client's name, version and capabilities. */
  readonly about: Pick<CallContext, "clientInfo" | "clientCapabilities">
}

/** The parts that all lines of a session share. */
export interface LineSite extends Pick<ServerOptions, "stops" | "failed"> {
  readonly endpoint: Endpoint
  readonly connection: Connection
  readonly caller: Caller
  /** The client's introduction, set when `initialize` is answered; `undefined` before that. */
  introduction: Introduction | undefined
  /** Sends a message that belongs to no request. */
  readonly notify: (kind: string, json: string) => void
  /** The next free id for requests to the client: a session never reuses one. */
  asked: number
}

/**
 * Creates a line. It gives each request an internal number before the SDK sees it: a client may have several requests with the
 * same id in flight, and each is answered on its own POST.
 */
export function createSessionLine(site: LineSite): SessionLine {
  const { endpoint, connection, caller, stops, failed } = site
  const requests: Requests = createSlots()
  let count = 0
  const settle = (number: unknown, answer: object): void => {
    const found = requests.get(number)
    requests.vacate(number)
    found?.post.answer(encodeMessage(endpoint.host, { ...answer, id: found.id }))
  }
  const lane = createLane(endpoint, connection, {
    caller: () => site.introduction && Object.assign({}, caller, site.introduction.about),
    stops,
    failed,
    send: settle,
    tell: (number, message) => requests.get(number)?.post.send(JSON.stringify(message)),
    hand: (request, number) => engine.hand(request, number),
  })
  const engine = createEngine(site, { requests, settle, instead: lane.instead })
  const cancel = (isMeant: (request: Waiting) => boolean, params: Params = {}): void => {
    for (const [number, waiting] of [...requests.all()]) {
      if (!isMeant(waiting)) continue
      requests.vacate(number)
      if (!lane.giveUp(number)) {
        engine.tell({ jsonrpc: "2.0", method: CANCELLED, params: { ...params, requestId: Number(number) } })
      }
      // A cancelled request gets no answer (2025-11-25, basic/utilities/cancellation), so nothing waits for it.
      waiting.post.skip()
    }
  }
  return {
    request(request, post, fault) {
      count += 1
      requests.fill(count, { id: request.id, post })
      if (fault !== undefined) settle(count, { jsonrpc: "2.0", error: fault })
      else if (!lane.take(request, count)) engine.hand(request, count)
    },
    take(message) {
      if (!("method" in message)) engine.answer(message)
      else if (message.method === CANCELLED) cancel(({ id }) => id === message.params?.["requestId"], message.params)
      else engine.tell(message)
    },
    abandon: (post) => cancel((waiting) => waiting.post === post),
    find: (key) => [...requests.all()].find(([, { post }]) => post.key === key)?.[1].post,
    idle: () => requests.size() === 0 && !engine.remembers(),
    close() {
      for (const [number] of [...requests.all()]) settle(number, { jsonrpc: "2.0", error: ENDED })
      lane.close()
      engine.close()
    },
  }
}

/** An SDK server for requests that the lane does not answer, created on the first one. */
interface Engine {
  /** Passes a request to the server, unless it is cancelled before the server knows its client. */
  hand(request: JSONRPCRequest, number: unknown): void
  /** Passes a message to an existing server; otherwise does nothing. */
  tell(message: JSONRPCNotification | JSONRPCResponse): void
  /** Passes on the client's answer to one of our requests. */
  answer(message: JSONRPCResponse): void
  /** Whether the server keeps state from the client: the log level. */
  remembers(): boolean
  /** Aborts running requests. */
  close(): void
}

/** The context of an engine. */
interface EngineSite extends Pick<ServerOptions, "instead"> {
  readonly requests: Requests
  settle(number: unknown, answer: object): void
}

function createEngine(site: LineSite, { requests, settle, instead }: EngineSite): Engine {
  // Each SDK server numbers its requests from zero; the session continues from the last number used.
  const first = site.asked
  const asked = createAskedIds()
  let connected: Connected | undefined
  let remembers = false
  const push = (message: Pushed, related: unknown): void => {
    const sent = renumber(message, first)
    asked.sent(sent)
    if ("id" in sent) site.asked = Number(sent.id) + 1
    const json = JSON.stringify(sent)
    if (related !== undefined) requests.get(related)?.post.send(json)
    else site.notify("id" in sent ? `request ${sent.id}` : sent.method, json)
  }
  const tell: Engine["tell"] = (message) => connected?.transport.onmessage?.(message)
  const stopAsking = site.stops.add(() => {
    // The client still has the question: an answer in its place ends what waits for it.
    for (const id of asked.takeAll()) tell({ jsonrpc: "2.0", id: Number(id) - first, error: CLOSING })
  })
  return {
    hand(request, number) {
      connected ??= connect(site, { settle, push, instead })
      remembers ||= request.method === "logging/setLevel"
      const { transport, ready } = connected
      ready
        .then(() => requests.get(number) && transport.onmessage?.({ ...request, id: Number(number) }))
        .catch(site.failed)
    },
    tell,
    answer(message) {
      const id = Number(message.id)
      if (asked.answered(id)) tell({ ...message, id: id - first })
    },
    remembers: () => remembers,
    close() {
      stopAsking()
      void connected?.transport.close()
    },
  }
}

/** Replaces the server's ids by the session's. */
function renumber(message: Pushed, first: number) {
  if ("id" in message) return { ...message, id: first + Number(message.id) }
  if (message.method !== CANCELLED) return message
  return { ...message, params: { ...message.params, requestId: first + Number(message.params?.["requestId"]) } }
}

/** An SDK server and its transport. */
interface Connected {
  readonly transport: Transport
  /** Resolves once the server knows its client, or waits for its `initialize`. */
  readonly ready: Promise<void>
}

/** Creates an SDK server, and repeats the client's earlier introduction to it, if any. */
function connect(
  site: LineSite,
  { settle, push, instead }: Omit<EngineSite, "requests"> & { push(message: Pushed, related: unknown): void },
): Connected {
  const { endpoint, connection, caller, stops, failed, introduction: known } = site
  const only = known === undefined ? "initialize" : undefined
  const server = createServer(endpoint, connection, { caller, stops, failed, only, instead })
  const ready = createDeferred()
  const transport = createSdkTransport({
    send(message, options) {
      if ("method" in message) push(message, options?.relatedRequestId)
      else if (message.id === INTRODUCTION) ready.resolve()
      else settle(message.id, message)
    },
    agreed(version) {
      if (known === undefined) site.introduction = { version, about: aboutClient(server) }
    },
  })
  // The transport takes messages at once.
  server.connect(transport).catch(failed)
  if (known === undefined) ready.resolve()
  else transport.onmessage?.(introductionOf(known))
  return { transport, ready: ready.promise }
}

type Pushed = JSONRPCRequest | JSONRPCNotification

/** Never a number of a client's request. */
const INTRODUCTION = 0

function introductionOf({ version, about }: Introduction): JSONRPCRequest {
  const params = { protocolVersion: version, capabilities: about.clientCapabilities, clientInfo: about.clientInfo }
  return { jsonrpc: "2.0", id: INTRODUCTION, method: "initialize", params }
}

/** Another request may have ended the session. */
const ENDED: RpcError = { code: NO_SESSION, message: "the session ended before this request was answered" }

/** An unanswered request. */
interface Waiting {
  /** The client's id, which may not be unique. */
  readonly id: string | number
  /** The POST it came in. */
  readonly post: SessionPost
}

type Requests = Slots<Waiting, unknown>

type Params = NonNullable<JSONRPCNotification["params"]>
