import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, Transport } from "@modelcontextprotocol/server"
import type { CallContext } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import { createDeferred } from "../../runtime/host.js"
import { createSlots, type Slots } from "../../runtime/slots.js"
import { aboutClient, createServer, type ServerOptions } from "../server/create-server.js"
import { encodeMessage } from "../server/encode-message.js"
import { createLane } from "../server/lane.js"
import { CLOSING, NO_SESSION, type RpcError } from "../server/rpc-error.js"
import type { SessionPost } from "./session-post.js"

/** What answers the requests of a session, for as long as there are some. */
export interface SessionLine {
  /** Answers a request; or says what is wrong with it. */
  request(request: JSONRPCRequest, post: SessionPost, fault: RpcError | undefined): void
  /** Hands on what is no request: an answer, where it was asked for; a cancellation, for what it is about. */
  take(message: JSONRPCNotification | JSONRPCResponse): void
  /** Cancels what a POST asked, which cannot be answered any more. */
  abandon(post: SessionPost): void
  /** The POST of a name, as long as something that it asked is not answered. */
  find(key: string): SessionPost | undefined
  /** Whether it holds nothing that a new one would lack. */
  idle(): boolean
  /** Gives up what is not answered, and says so. */
  close(): void
}

/** How a client was introduced. */
export interface Introduction {
  /** The revision that was agreed on. */
  readonly version: string
  /** What it said of itself. */
  readonly about: Pick<CallContext, "clientInfo" | "clientCapabilities">
}

/** What the lines of a session have in common. */
export interface LineSite extends Pick<ServerOptions, "stops" | "failed"> {
  readonly endpoint: Endpoint
  readonly connection: Connection
  readonly caller: Caller
  /** How its client was introduced, noted as `initialize` is answered; `undefined` before that. */
  introduction: Introduction | undefined
  /** Sends what belongs to no request. */
  readonly notify: (kind: string, json: string) => void
  /** How many numbers of requests to the client are used up: a session gives none twice. */
  asked: number
}

/**
 * Gives each request a number of its own before the SDK sees it: a client may have several of one id in flight, and each is
 * to be answered where it came from.
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
      // A cancelled request gets no answer (2025-11-25, basic/utilities/cancellation), so there is nothing to wait for.
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

/** What answers what the lane does not: a server of the SDK, made when it is first asked. */
interface Engine {
  /** Has it answer a request, unless that is given up before it knows its client. */
  hand(request: JSONRPCRequest, number: unknown): void
  /** Tells it something, where there is one. */
  tell(message: JSONRPCNotification | JSONRPCResponse): void
  /** Hands on what the client answers, where it was asked for. */
  answer(message: JSONRPCResponse): void
  /** Whether it was told something that it keeps: the level of log messages. */
  remembers(): boolean
  /** Aborts what runs. */
  close(): void
}

/** What it is made for. */
interface EngineSite extends Pick<ServerOptions, "instead"> {
  readonly requests: Requests
  settle(number: unknown, answer: object): void
}

function createEngine(site: LineSite, { requests, settle, instead }: EngineSite): Engine {
  // Each of the SDK's servers counts from zero, and a session from where the one before ended.
  const first = site.asked
  const asked = new Set<number>()
  let connected: Connected | undefined
  let remembers = false
  const push = (message: Pushed, related: unknown): void => {
    const sent = renumber(message, first)
    if ("id" in sent) {
      asked.add(Number(sent.id))
      site.asked = Number(sent.id) + 1
    }
    const json = JSON.stringify(sent)
    if (related !== undefined) requests.get(related)?.post.send(json)
    else site.notify("id" in sent ? `request ${sent.id}` : sent.method, json)
  }
  const tell: Engine["tell"] = (message) => connected?.transport.onmessage?.(message)
  const stopAsking = site.stops.add(() => {
    // The client is still asked: an answer in its place lets what waits for it come to an end.
    for (const id of asked) tell({ jsonrpc: "2.0", id: id - first, error: CLOSING })
    asked.clear()
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
      if (asked.delete(id)) tell({ ...message, id: id - first })
    },
    remembers: () => remembers,
    close() {
      stopAsking()
      void connected?.transport.close()
    },
  }
}

/** With numbers that count by session. */
function renumber(message: Pushed, first: number) {
  if ("id" in message) return { ...message, id: first + Number(message.id) }
  if (message.method !== CANCELLED) return message
  return { ...message, params: { ...message.params, requestId: first + Number(message.params?.["requestId"]) } }
}

/** A server of the SDK at the other end. */
interface Connected {
  readonly transport: Transport
  /** Resolves once it knows its client, or is to be introduced to it. */
  readonly ready: Promise<void>
}

/** Makes one, and tells it what its client has said of itself, where that was before. */
function connect(
  site: LineSite,
  { settle, push, instead }: Omit<EngineSite, "requests"> & { push(message: Pushed, related: unknown): void },
): Connected {
  const { endpoint, connection, caller, stops, failed, introduction: known } = site
  const only = known === undefined ? "initialize" : undefined
  const server = createServer(endpoint, connection, { caller, stops, failed, only, instead })
  const ready = createDeferred()
  const transport: Transport = {
    start: async () => {},
    async send(message, options) {
      if ("method" in message) push(message, options?.relatedRequestId)
      else if (message.id === INTRODUCTION) ready.resolve()
      else settle(message.id, message)
    },
    close: async () => transport.onclose?.(),
    setProtocolVersion(version) {
      if (known === undefined) site.introduction = { version, about: aboutClient(server) }
    },
  }
  // It takes messages as soon as it is called.
  server.connect(transport).catch(failed)
  if (known === undefined) ready.resolve()
  else transport.onmessage?.(introductionOf(known))
  return { transport, ready: ready.promise }
}

type Pushed = JSONRPCRequest | JSONRPCNotification

/** No number of a client's request. */
const INTRODUCTION = 0

function introductionOf({ version, about }: Introduction): JSONRPCRequest {
  const params = { protocolVersion: version, capabilities: about.clientCapabilities, clientInfo: about.clientInfo }
  return { jsonrpc: "2.0", id: INTRODUCTION, method: "initialize", params }
}

/** Who has ended a session may not be who waits. */
const ENDED: RpcError = { code: NO_SESSION, message: "the session was ended before this was answered" }

/** A request that is not answered yet. */
interface Waiting {
  /** The client's name for it, which others of its requests may have as well. */
  readonly id: string | number
  /** Where it came from. */
  readonly post: SessionPost
}

type Requests = Slots<Waiting, unknown>

type Params = NonNullable<JSONRPCNotification["params"]>

const CANCELLED = "notifications/cancelled"
