import type { JSONRPCMessage, JSONRPCRequest, Server, Transport } from "@modelcontextprotocol/server"
import { type Leg, toClientInfo } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { Handler } from "../../handlers/handler.js"
import { once } from "../../runtime/host.js"
import { aboutClient, createLiveServer, createServer, findFault } from "../server/create-server.js"
import { formatNotice } from "../server/deliver-notices.js"
import { createLane, type Lane, type LaneSite } from "../server/lane.js"
import { createListens, type Listening, readFilter } from "../server/listens.js"
import type { ValidMessage } from "../server/messages.js"
import { CLASSIFIED, connectModern } from "../server/modern-transport.js"
import { CLOSING, formatError, REFUSED, type RpcError } from "../server/rpc-error.js"
import type { Stops } from "../server/stops.js"
import type { Outbox } from "./outbox.js"

/** The SDK's servers behind one pipe: one for each era that is spoken over it, made when it first is. */
export interface PipeServers {
  /** Hands a message to the server of an era. */
  take(era: Leg["era"], message: ValidMessage["message"]): void
  /** Whether an era has been spoken. */
  spoken(era: Leg["era"]): boolean
  /** The revision that was agreed on in the legacy era; `undefined` before that. */
  version(): string | undefined
  /** Aborts what runs. */
  close(): void
}

/** What the servers stand on. */
export interface PipeServersSite {
  /** Who calls. */
  readonly caller: Omit<Caller, "leg">
  /** What the pipe is. */
  readonly transport: string
  /** Tells requests to stop. */
  readonly stops: Stops
  /** How many listen streams may be open. Default 100. */
  readonly maxListens?: number | undefined
  /** Where answers and notices go. */
  readonly outbox: Outbox
  /** Told what goes wrong. */
  readonly failed: (cause: Error) => void
  /** Runs when there is nothing left to serve. */
  readonly ended: () => void
}

/** Neither is made yet. */
export function createPipeServers(endpoint: Endpoint, connection: Connection, site: PipeServersSite): PipeServers {
  const { outbox, transport, stops } = site
  const asked = new Set<string | number>()
  const lines = new Map<Leg["era"], PipeLine>()
  let version: string | undefined
  const send = (message: JSONRPCMessage): void => {
    const json = JSON.stringify(message)
    if (!("method" in message)) {
      if (message.id !== undefined) outbox.answer(message.id, json)
    } else if ("id" in message) {
      asked.add(message.id)
      outbox.send(json)
    } else outbox.notify(json)
  }
  const serve = (era: Leg["era"]): PipeLine => {
    // What nobody may listen to is not announced; a legacy client is told without listening.
    const leg = { transport, era, notices: era === "legacy" || site.maxListens !== 0 }
    const target = { send, agreed: (agreed: string) => (version = agreed) }
    return era === "modern"
      ? createModernLine(endpoint, connection, { ...site, ...target, leg })
      : createLegacyLine(endpoint, connection, { ...site, ...target, leg })
  }
  // The client is still asked: an answer in its place lets what waits for it come to an end.
  const endAsking = (): void => {
    for (const id of asked) lines.get("legacy")?.take({ jsonrpc: "2.0", id, error: CLOSING })
    asked.clear()
  }
  const stopAsking = stops.add(endAsking)
  return {
    take(era, message) {
      if (!("method" in message) && (message.id === undefined || !asked.delete(message.id))) return
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

/** One era's way to its server. */
interface PipeLine {
  /** Hands a message on, in order; one that is wrong is answered. */
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
  let version: string | undefined
  const server = createLiveServer(endpoint, connection, {
    caller: { ...caller, leg },
    stops,
    failed,
    instead: (id) => line.instead(id),
    notify: (notice) => outbox.notify(formatNotice(notice)),
    closed: ended,
  })
  const transport: Transport = {
    start: async () => {},
    send: async (message) => send(message),
    close: async () => transport.onclose?.(),
    setProtocolVersion(negotiated) {
      version = negotiated
      agreed(negotiated)
    },
  }
  const connected = server.connect(transport).then(() => transport)
  const known = () => (version === undefined ? undefined : { leg, ...caller, ...aboutClient(server) })
  const line = createLine(endpoint, connection, { server, connected, site, extra: undefined, caller: known })
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

/** What comes before the server is connected, which takes a moment, waits for it. */
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
    // What the lane says is an answer.
    send: (_, message) => send(message as JSONRPCMessage),
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

/** Whether a message cancels what is in the lane; then it is done. */
function givesUp(message: ValidMessage["message"], lane: Lane): boolean {
  const cancels = "method" in message && message.method === "notifications/cancelled"
  return cancels && lane.giveUp(message.params?.["requestId"])
}

/** The listen streams of one pipe, by the ids of their requests. */
export interface PipeListens {
  /** Opens one, or answers why not. */
  open(request: JSONRPCRequest): void
  /** Ends one that the client has cancelled; `false` where there is none. */
  cancel(id: unknown): boolean
  /** Ends them all with their last message. */
  close(): void
  /** Ends them all without a word. */
  leave(): void
}

/** What the listen streams stand on. */
interface ListensSite {
  /** Who is at the other end. */
  readonly caller: Omit<Caller, "leg">
  /** What the pipe is. */
  readonly transport: string
  /** Where their messages go. */
  readonly outbox: Outbox
  /** How many may be open. Default 100. */
  readonly maxListens?: number | undefined
  /** Told when another one was wanted. */
  readonly full: (message: string) => void
}

/** None is open yet. */
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
        full(`the client has ${open.size} listen streams open: raise the option "maxListens" if there may be more`)
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
