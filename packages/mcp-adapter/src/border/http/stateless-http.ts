import type { JSONRPCRequest, Transport } from "@modelcontextprotocol/server"
import { createDeferred, isRecord } from "@x/base"
import type { Leg } from "../../calls/call-context.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import { type Host, once } from "../../runtime/host.js"
import { createServer, findFault, type ServerOptions } from "../server/create-server.js"
import { encodeMessage } from "../server/encode-message.js"
import { type Encoded, joinEncoded } from "../server/encoded.js"
import { createLane } from "../server/lane.js"
import type { ValidMessage } from "../server/messages.js"
import { createSdkTransport } from "../server/sdk-transport.js"
import type { Stops } from "../server/stops.js"
import { toJsonAnswer } from "./exchange.js"
import { checkVersion, type LegacyHttp, openingOf } from "./legacy-http.js"
import type { Messages } from "./legacy-session.js"
import type { McpVisitor } from "./mcp-visitor.js"

const LEG: Leg = { transport: "http", era: "legacy", notices: false }

/**
 * Creates the legacy era over HTTP (2025-03-26 to 2025-11-25) without sessions: each POST gets one JSON body, and nothing is
 * kept. No notice or progress can be sent; the only way to cancel a request is to drop the connection.
 */
export function createStatelessHttp(endpoint: Endpoint, stops: Stops): LegacyHttp {
  return {
    methods: ["POST"],
    serve: async () => {},
    async post(visitor, messages) {
      const refused = openingOf(messages) === undefined ? checkVersion(visitor) : undefined
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

interface PostedMessages {
  readonly connection: Connection
  readonly stops: Stops
  readonly messages: Messages
}

async function answer(endpoint: Endpoint, posted: PostedMessages, visitor: McpVisitor): Promise<void> {
  const { connection, stops, messages } = posted
  const requests = messages.all.flatMap(toRequest)
  if (requests.length === 0) return visitor.send({ status: 202 })
  const answers = createAnswers(endpoint.host, requests)
  const { send } = answers
  const caller = { ...visitor.callerOn(LEG), clientCapabilities: {} }
  const { failed } = visitor
  let engine: Transport | undefined
  const lane = createLane(endpoint, connection, {
    caller: () => caller,
    stops,
    failed,
    send,
    // Notifications cannot be delivered on this leg.
    tell: () => {},
    hand: (request, number) => hand(request, number),
  })
  const hand = (request: JSONRPCRequest, number: unknown): void => {
    engine ??= createEngine(endpoint, connection, { caller, stops, failed, instead: lane.instead, send })
    engine.onmessage?.({ ...request, id: Number(number) })
  }
  const close = once(() => {
    lane.close()
    void engine?.close()
    answers.close()
  })
  visitor.onEnd(close)
  for (const [number, request] of requests.entries()) {
    if (visitor.ended()) break
    const fault = findFault(endpoint, { connection, leg: LEG }, request)
    if (fault !== undefined) send(number, { jsonrpc: "2.0", error: fault })
    else if (!lane.take(request, number)) hand(request, number)
  }
  const texts = await answers.complete
  close()
  connection.release()
  visitor.send(toJsonAnswer(200, messages.batch ? toBatch(texts) : (texts[0] ?? "")))
}

/** Creates an SDK server for the requests that the lane does not answer. */
function createEngine(
  endpoint: Endpoint,
  connection: Connection,
  { send, ...options }: ServerOptions & Pick<Answers, "send">,
): Transport {
  const transport = createSdkTransport({
    send(message) {
      if (!("method" in message)) send(Number(message.id), message)
    },
  })
  // The transport takes messages at once.
  createServer(endpoint, connection, options).connect(transport).catch(options.failed)
  return transport
}

function toBatch(texts: readonly Encoded[]): Encoded {
  return joinEncoded("[", ...texts.flatMap((text, index) => (index === 0 ? [text] : [",", text])), "]")
}

/** The answers to several requests. Each is known by its index, since ids may repeat. */
interface Answers {
  /** Takes the answer to a request. */
  send(number: unknown, message: object): void
  /** Resolves once the answers are complete, or not awaited any more. */
  readonly complete: Promise<readonly Encoded[]>
  /** Stops waiting. */
  close(): void
}

function createAnswers(host: Host, requests: readonly JSONRPCRequest[]): Answers {
  const texts: Encoded[] = []
  const { promise: complete, resolve } = createDeferred<readonly Encoded[]>()
  return {
    send(number, message) {
      texts.push(encodeMessage(host, { ...message, id: requests[Number(number)]?.id }))
      if (texts.length === requests.length) resolve(texts)
    },
    complete,
    close: () => resolve(texts),
  }
}

/**
 * Fills in what `curl` and hand-written clients leave out, if it is harmless. All leniency of the stateless leg is here. The
 * content type stays required: it makes a browser send a preflight request.
 */
function toRequest({ kind, message }: ValidMessage): readonly JSONRPCRequest[] {
  // With an id, a notification would count as a request for an unknown method. It is accepted as a notification.
  if (kind !== "request" || message.method.startsWith("notifications/")) return []
  return [message.method === "initialize" ? withIntroduction(message) : message]
}

/** Fills in the three required parameters (2025-11-25, basic/lifecycle). An unknown version is answered with the latest. */
function withIntroduction(initialize: JSONRPCRequest): JSONRPCRequest {
  const given: unknown = initialize.params
  const unsaid = { protocolVersion: "", capabilities: {}, clientInfo: { name: "unknown", version: "unknown" } }
  return { ...initialize, params: { ...unsaid, ...(isRecord(given) && given) } }
}
