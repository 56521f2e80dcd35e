import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, Transport } from "@modelcontextprotocol/server"
import type { Handler } from "../../handlers/handler.js"
import { createDeferred, type Host } from "../../runtime/host.js"
import { createSlots, type Slots } from "../../runtime/slots.js"
import { encodeMessage } from "../server/encode-message.js"
import type { Lane, LaneSite } from "../server/lane.js"
import { CLOSING, NO_SESSION, type RpcError } from "../server/rpc-error.js"
import type { NoticeStreams } from "./notice-streams.js"
import type { SessionPost } from "./session-post.js"

/** One session's line to the SDK's server. */
export interface SessionLine {
  /** The SDK's end of it. */
  readonly transport: Transport
  /** Hands a request on, under a name of its own; or answers it with what is wrong with it. */
  request(request: JSONRPCRequest, post: SessionPost, fault: RpcError | undefined): void
  /** Does what a client does first, in the place of one that has done it long ago; nothing comes back to anybody. */
  introduce(version: string): Promise<void>
  /** Hands on what is no request: an answer, where it was asked for; a cancellation, for what it is about. */
  take(message: JSONRPCNotification | JSONRPCResponse): void
  /** Cancels what a POST asked, which cannot be answered any more. */
  abandon(post: SessionPost): void
  /** Answers, in the place of the client, whatever it is still asked: the server closes. */
  readonly endAsking: () => void
  /** {@link ServerOptions.instead}. */
  readonly instead: (number: unknown) => Handler | undefined
  /** Gives up what is not answered, and says so. */
  close(): void
}

/** What a line is told. */
interface LineOptions {
  /** Whose adapter it is. */
  readonly host: Host
  /** Where messages go that belong to no request. */
  readonly notices: NoticeStreams
  /** Told which revision was agreed on. */
  readonly agreed: (version: string) => void
  /** Makes the lane of the session. */
  readonly lane: (ways: Pick<LaneSite, "send" | "hand">) => Lane
}

/**
 * Gives each request a number of its own before the SDK sees it: a client may have several of one id in flight, and each is
 * to be answered where it came from.
 */
export function createSessionLine({ host, notices, agreed, lane: createLane }: LineOptions): SessionLine {
  const requests = createSlots<Waiting, unknown>()
  const introduced = createDeferred()
  const asked = new Set<string | number>()
  let count = 0
  const settle = (number: unknown, answer: object): void => {
    if (number === INTRODUCTION) introduced.resolve()
    const found = requests.get(number)
    requests.vacate(number)
    found?.post.answer(encodeMessage(host, { ...answer, id: found.id }))
  }
  const push = (message: JSONRPCRequest | JSONRPCNotification, related: unknown): void => {
    if ("id" in message) asked.add(message.id)
    const json = JSON.stringify(message)
    if (related !== undefined) requests.get(related)?.post.send(json)
    else notices.send("id" in message ? `request ${message.id}` : message.method, json)
  }
  const transport = createTransport({ settle, push, agreed })
  const lane = createLane({
    send: settle,
    hand: (request, number) => transport.onmessage?.({ ...request, id: Number(number) }),
  })
  const line = { requests, lane, transport }
  return {
    transport,
    request(request, post, fault) {
      count += 1
      requests.fill(count, { id: request.id, post })
      if (fault !== undefined) settle(count, { jsonrpc: "2.0", error: fault })
      else if (!lane.take(request, count)) transport.onmessage?.({ ...request, id: count })
    },
    introduce(version) {
      for (const message of introductionOf(version)) transport.onmessage?.(message)
      return introduced.promise
    },
    take(message) {
      if (!("method" in message)) {
        if (message.id !== undefined && asked.delete(message.id)) transport.onmessage?.(message)
      } else if (message.method === CANCELLED)
        cancel(line, ({ id }) => id === message.params?.["requestId"], message.params)
      else transport.onmessage?.(message)
    },
    abandon: (post) => cancel(line, (waiting) => waiting.post === post),
    endAsking() {
      for (const id of asked) transport.onmessage?.({ jsonrpc: "2.0", id, error: CLOSING })
      asked.clear()
    },
    instead: lane.instead,
    close() {
      for (const [number] of [...requests.all()]) settle(number, { jsonrpc: "2.0", error: ENDED })
      lane.close()
    },
  }
}

/** What requests are cancelled on. */
interface CancelSite {
  readonly requests: Slots<Waiting, unknown>
  readonly lane: Lane
  readonly transport: Transport
}

function cancel({ requests, lane, transport }: CancelSite, isMeant: (request: Waiting) => boolean, params = {}): void {
  for (const [number, waiting] of [...requests.all()]) {
    if (!isMeant(waiting)) continue
    requests.vacate(number)
    if (!lane.giveUp(number)) {
      transport.onmessage?.({ jsonrpc: "2.0", method: CANCELLED, params: { ...params, requestId: Number(number) } })
    }
    // A cancelled request gets no answer (2025-11-25, basic/utilities/cancellation), so there is nothing to wait for.
    waiting.post.skip()
  }
}

/** Where the messages of the SDK's server go. */
interface TransportSite extends Pick<LineOptions, "agreed"> {
  settle(number: unknown, answer: object): void
  push(message: JSONRPCRequest | JSONRPCNotification, related: unknown): void
}

function createTransport({ settle, push, agreed }: TransportSite): Transport {
  const transport: Transport = {
    start: async () => {},
    async send(message, options) {
      if ("method" in message) push(message, options?.relatedRequestId)
      else settle(message.id, message)
    },
    close: async () => transport.onclose?.(),
    setProtocolVersion: agreed,
  }
  return transport
}

/** Who has ended a session may not be who waits. */
const ENDED: RpcError = { code: NO_SESSION, message: "the session was ended before this was answered" }

/** No number of a client's request. */
const INTRODUCTION = 0

function introductionOf(protocolVersion: string): readonly (JSONRPCRequest | JSONRPCNotification)[] {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "unknown", version: "unknown" } }
  return [
    { jsonrpc: "2.0", id: INTRODUCTION, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
  ]
}

/** A request that is not answered yet. */
interface Waiting {
  /** The client's name for it, which others of its requests may have as well. */
  readonly id: string | number
  /** Where it came from. */
  readonly post: SessionPost
}

const CANCELLED = "notifications/cancelled"
