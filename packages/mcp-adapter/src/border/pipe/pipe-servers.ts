import type { JSONRPCMessage, JSONRPCRequest, Server, Transport } from "@modelcontextprotocol/server"
import { type Leg, toClientInfo } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { Handler } from "../../handlers/handler.js"
import { once } from "../../runtime/host.js"
import { createAskedIds } from "../server/asked-ids.js"
import { aboutClient, createLiveServer, createServer, findFault } from "../server/create-server.js"
import { formatNotice } from "../server/deliver-notices.js"
import { writeMessage } from "../server/encode-message.js"
import { createLane, type Lane, type LaneSite } from "../server/lane.js"
import { readFilter } from "../server/listen-filter.js"
import { createListens, type Listening } from "../server/listens.js"
import type { ValidMessage } from "../server/messages.js"
import type { PlainCaller } from "../server/plain-request.js"
import { CLOSING, formatError, REFUSED, type RpcError } from "../server/rpc-error.js"
import { CLASSIFIED, connectModern, createSdkTransport } from "../server/sdk-transport.js"
import type { Stops } from "../server/stops.js"
import type { Outbox } from "./outbox.js"

/** The SDK servers behind one pipe, one for each era, created on that era's first message. */
export interface PipeServers {
  /** Passes a message to one era's server. */
  take(era: Leg["era"], message: ValidMessage["message"]): void
  /** Whether an era has been used. */
  spoken(era: Leg["era"]): boolean
  /** The negotiated legacy revision; `undefined` before that. */
  version(): string | undefined
  /** Aborts running requests. */
  close(): void
}

/** The context of the servers. */
export interface PipeServersSite {
  /** The calling client and principal. */
  readonly caller: Omit<Caller, "leg">
  /** The kind of pipe. */
  readonly transport: string
  /** Tells running requests to stop. */
  readonly stops: Stops
  /** The most open listen streams. Default 100. */
  readonly maxListens?: number | undefined
  /** Sends answers and notices. */
  readonly outbox: Outbox
  /** Reports a connection error. */
  readonly failed: (cause: Error) => void
  /** Runs when the legacy server has closed. */
  readonly ended: () => void
}

/** Creates the servers of one pipe, each on first use. */
export function createPipeServers(endpoint: Endpoint, connection: Connection, site: PipeServersSite): PipeServers {
  const { outbox, transport, stops } = site
  const asked = createAskedIds()
  const lines = new Map<Leg["era"], PipeLine>()
  let version: string | undefined
  const send = (message: JSONRPCMessage): void => {
    const json = writeMessage(endpoint.host, message)
    if (!("method" in message)) {
      if (message.id !== undefined) outbox.answer(message.id, json)
      return
    }
    asked.sent(message)
    if ("id" in message) outbox.send(json)
    else outbox.notify(json)
  }
  const serve = (era: Leg["era"]): PipeLine => {
    // Without listen streams, no notices are announced. A legacy client gets them without listening.
    const leg = { transport, era, notices: era === "legacy" || site.maxListens !== 0 }
    const target = { send, agreed: (agreed: string) => (version = agreed) }
    return era === "modern"
      ? createModernLine(endpoint, connection, { ...site, ...target, leg })
      : createLegacyLine(endpoint, connection, { ...site, ...target, leg })
  }
  // The client still has the question: an answer in its place ends what waits for it.
  const endAsking = (): void => {
    for (const id of asked.takeAll()) lines.get("legacy")?.take({ jsonrpc: "2.0", id, error: CLOSING })
  }
  const stopAsking = stops.add(endAsking)
  return {
    take(era, message) {
      if (!("method" in message) && (message.id === undefined || !asked.answered(message.id))) return
      const line = lines.get(era) ?? serve(era)
      lines.set(era, line)
      line.take(message)
    },
    spoken: (era) => lines.has(era),
    version: () => version,
    close() {
      stopAsking()
      for (const line of lines.values()) line.close()
    },
  }
}

/** One era's path to its server. */
interface PipeLine {
  /** Handles a message, in order; an invalid one is answered with an error. */
  take(message: ValidMessage["message"]): void
  close(): void
}

interface LineSite extends PipeServersSite {
  readonly leg: Leg
  readonly send: (message: JSONRPCMessage) => void
  readonly agreed: (version: string) => void
}

function createLegacyLine(endpoint: Endpoint, connection: Connection, site: LineSite): PipeLine {
  const { caller, leg, stops, failed, outbox, ended, send, agreed } = site
  let known: PlainCaller | undefined
  const server = createLiveServer(endpoint, connection, {
    caller: { ...caller, leg },
    stops,
    failed,
    instead: (id) => line.instead(id),
    notify: (notice) => outbox.notify(formatNotice(notice)),
    closed: ended,
  })
  const transport = createSdkTransport({
    send,
    agreed(negotiated) {
      // The SDK's server knows the client when it answers the handshake.
      known = { leg, ...caller, ...aboutClient(server) }
      agreed(negotiated)
    },
  })
  const connected = server.connect(transport).then(() => transport)
  const line = createLine(endpoint, connection, { server, connected, site, extra: undefined, caller: () => known })
  return line
}

function createModernLine(endpoint: Endpoint, connection: Connection, site: LineSite): PipeLine {
  const { caller, leg, stops, failed, send } = site
  const instead = (id: unknown): Handler | undefined => line.instead(id)
  const server = createServer(endpoint, connection, { caller: { ...caller, leg }, stops, failed, instead })
  const connected = connectModern(server, { send: async (message) => send(message), close: () => {} })
  const known = { leg, ...caller }
  const line = createLine(endpoint, connection, { server, connected, site, extra: CLASSIFIED, caller: () => known })
  return line
}

interface Connecting {
  readonly server: Server
  readonly connected: Promise<Transport>
  readonly site: LineSite
  readonly extra: typeof CLASSIFIED | undefined
  readonly caller: LaneSite["caller"]
}

/** Creates the line of one era. Messages wait until the server is connected. */
function createLine(
  endpoint: Endpoint,
  connection: Connection,
  { server, connected, site, extra, caller }: Connecting,
): PipeLine & Pick<Lane, "instead"> {
  const { leg, outbox, failed, stops, send } = site
  const waiting: ValidMessage["message"][] = []
  let transport: Transport | undefined
  const pass = (message: ValidMessage["message"]): void => {
    const isRequest = "method" in message && "id" in message
    const fault = isRequest ? findFault(endpoint, { connection, leg }, message) : undefined
    if (isRequest && fault !== undefined) outbox.answer(message.id, formatError(fault, message.id))
    else if (isRequest ? !lane.take(message, message.id) : !givesUp(message, lane))
      transport?.onmessage?.(message, extra)
  }
  const lane = createLane(endpoint, connection, {
    caller,
    stops,
    failed,
    // The lane sends only answers.
    send: (_, message) => send(message as JSONRPCMessage),
    tell: (_, message) => send(message),
    hand: (request) => transport?.onmessage?.(request, extra),
  })
  connected.then((made) => {
    transport = made
    for (const message of waiting.splice(0)) pass(message)
  }, failed)
  return {
    take(message) {
      if (transport === undefined) waiting.push(message)
      else pass(message)
    },
    instead: lane.instead,
    close: once(() => {
      lane.close()
      void server.close()
    }),
  }
}

/** Returns whether a message cancels a request in the lane, and cancels it. */
function givesUp(message: ValidMessage["message"], lane: Lane): boolean {
  const cancels = "method" in message && message.method === "notifications/cancelled"
  return cancels && lane.giveUp(message.params?.["requestId"])
}

/** The listen streams of one pipe, by request id. */
export interface PipeListens {
  /** Opens a stream, or answers with an error. */
  open(request: JSONRPCRequest): void
  /** Ends a stream that the client has cancelled; returns `false` if there is none. */
  cancel(id: unknown): boolean
  /** Ends all streams, each after its final message. */
  close(): void
  /** Ends all streams without a message. */
  leave(): void
}

/** The context of a pipe's listen streams. */
interface ListensSite {
  /** The calling client and principal. */
  readonly caller: Omit<Caller, "leg">
  /** The kind of pipe. */
  readonly transport: string
  /** Sends their messages. */
  readonly outbox: Outbox
  /** The most open streams. Default 100. */
  readonly maxListens?: number | undefined
  /** Takes a report when the limit is reached. */
  readonly full: (message: string) => void
}

/** Creates the listen streams of one pipe. */
export function createPipeListens(endpoint: Endpoint, connection: Connection, site: ListensSite): PipeListens {
  const { caller, transport, outbox, maxListens = 100, full } = site
  const leg: Leg = { transport, era: "modern", notices: true }
  const listens = createListens(endpoint)
  const open = new Map<unknown, Promise<Listening>>()
  const cancel = (id: unknown): boolean => {
    void open.get(id)?.then((listening) => listening.leave())
    return open.delete(id)
  }
  const endOf =
    (id: unknown) =>
    (json: string): void => {
      open.delete(id)
      outbox.send(json)
    }
  return {
    open({ id, params }) {
      const filter = readFilter(params)
      cancel(id)
      if ("code" in filter) outbox.send(formatError(filter, id))
      else if (open.size >= maxListens) {
        full(
          `the client has ${open.size} listen streams open and asked for another: raise the option "maxListens" to allow more`,
        )
        outbox.send(formatError(FULL, id))
      } else {
        const info = toClientInfo(params?._meta)
        const named = { ...caller, ...(info && { info }) }
        const listener = { id, filter, caller: named, send: outbox.notify, end: endOf(id) }
        open.set(id, listens.open(connection, leg, listener))
      }
    },
    cancel,
    close: listens.close,
    leave() {
      for (const id of [...open.keys()]) cancel(id)
    },
  }
}

const FULL: RpcError = {
  code: REFUSED,
  message: "too many listen streams are open: close one before you open another",
}
