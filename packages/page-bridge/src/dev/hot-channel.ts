import type { IncomingMessage } from "node:http"
import type { Channel, ChannelListener } from "@x/service-wire"
import { turnAway } from "../bridge-frames.js"
import type { AdmitPage } from "./admit-page.js"

/** The event on Vite's hot channel that carries the wire of a page, both ways. */
const HOT_EVENT = "@x/page-bridge"

/** The global symbol under which a page finds its dev server's opener. Copies of this package share it. */
const OPEN_KEY = "@x/page-bridge/open"

/** A message on the hot channel. */
interface HotMessage {
  /** The line's number; a page may have several lines. */
  readonly c: number
  /** A frame. */
  readonly f?: string
  /** The reason, if the line ends. */
  readonly end?: string
  /** The token, in a line's first message. */
  readonly k?: string
}

/** A page on the hot channel, as Vite represents it. */
export interface HotClient {
  /** Sends a custom event. */
  send(event: string, payload?: unknown): void
  /** The page's WebSocket. */
  readonly socket?: unknown
}

/** The used part of Vite's server-side hot channel. */
export interface HotServer {
  /** Adds a listener for a custom event or one of Vite's own. */
  on(event: string, listener: (data: unknown, client: HotClient) => void): void
  /** Removes a listener. */
  off(event: string, listener: (data: unknown, client: HotClient) => void): void
}

/** Receives the lines on a hot channel. */
export interface HotListener {
  /** Returns the reason why a page may not open a line. */
  readonly refuse: AdmitPage
  /** Called when an admitted page has opened a line. */
  opened(channel: Channel): void
}

/**
 * Creates a channel for each line that a page opens on Vite's hot channel.
 *
 * @returns A function that closes all channels and stops listening.
 */
export function followHotChannels(hot: HotServer, { refuse, opened }: HotListener): () => void {
  const requests = new WeakMap<object, IncomingMessage>()
  // Vite passes on its WebSocket server's event unchanged.
  const connected = (socket: unknown, request: unknown): void => {
    requests.set(Object(socket), request as IncomingMessage)
  }
  const clients = new Map<HotClient, Map<number, HotLine>>()
  const begin = (message: HotMessage, client: HotClient, lines: Map<number, HotLine>): HotLine | undefined => {
    const line = createHotLine(client, message.c, () => lines.delete(message.c))
    const reason = refuse(requests.get(Object(client.socket)), message.k)
    if (reason !== undefined) {
      turnAway(line.channel, "unauthorized", reason)
      return undefined
    }
    lines.set(message.c, line)
    opened(line.channel)
    return line
  }
  const heard = (data: unknown, client: HotClient): void => {
    const message = readMessage(data)
    if (message === undefined) return
    const lines = clients.get(client) ?? new Map<number, HotLine>()
    clients.set(client, lines)
    const known = lines.get(message.c)
    if (message.end !== undefined) known?.finish(message.end)
    else if (message.f === undefined) return
    else if (known !== undefined) known.frame(message.f)
    else if (lines.size < MOST_LINES) begin(message, client, lines)?.frame(message.f)
  }
  const left = (_: unknown, client: HotClient): void => {
    for (const line of [...(clients.get(client)?.values() ?? [])])
      line.finish("the page disconnected from the dev server")
    clients.delete(client)
  }
  hot.on("connection", connected)
  hot.on(HOT_EVENT, heard)
  hot.on("vite:client:disconnect", left)
  return () => {
    hot.off("connection", connected)
    hot.off(HOT_EVENT, heard)
    hot.off("vite:client:disconnect", left)
    for (const client of [...clients.keys()]) left(undefined, client)
  }
}

/** The most lines of one page. A page has a few services at most. */
const MOST_LINES = 20

/** One line on the server side. */
interface HotLine {
  readonly channel: Channel
  frame(text: string): void
  finish(reason: string): void
}

function createHotLine(client: HotClient, line: number, gone: () => void): HotLine {
  const early: string[] = []
  let listener: ChannelListener | undefined
  let end: string | undefined
  const finish = (reason: string): void => {
    if (end !== undefined) return
    end = reason
    gone()
    listener?.closed(reason)
  }
  return {
    finish,
    frame(text) {
      if (end !== undefined) return
      if (listener === undefined) early.push(text)
      else listener.frame(text)
    },
    channel: {
      send(frame) {
        if (end === undefined) client.send(HOT_EVENT, { c: line, f: frame } satisfies HotMessage)
      },
      listen(next) {
        listener = next
        for (const frame of early.splice(0)) next.frame(frame)
        if (end !== undefined) next.closed(end)
      },
      close(reason = "") {
        if (end !== undefined) return
        client.send(HOT_EVENT, { c: line, end: reason } satisfies HotMessage)
        finish(reason)
      },
    },
  }
}

function readMessage(data: unknown): HotMessage | undefined {
  const { c, f, end, k }: { c?: unknown; f?: unknown; end?: unknown; k?: unknown } = Object(data)
  if (typeof c !== "number") return undefined
  return {
    c,
    ...(typeof f === "string" && { f }),
    ...(typeof end === "string" && { end }),
    ...(typeof k === "string" && { k }),
  }
}

/**
 * Returns the code appended to Vite's own client, which every page loads before the app's code. It gives pages the function
 * that opens a line. It is plain JavaScript, because the client is served unprocessed.
 */
export function toClientCode(token: string): string {
  return `${CLIENT_CODE}(${JSON.stringify(token)})
`
}

const CLIENT_CODE = `
;((k) => {
  const hot = createHotContext("/${HOT_EVENT}")
  const lines = new Map()
  let last = 0
  const finish = (c, reason) => {
    const line = lines.get(c)
    if (line === undefined) return
    lines.delete(c)
    line.end = reason
    line.listener?.closed(reason)
  }
  hot.on("${HOT_EVENT}", ({ c, f, end }) => {
    const line = lines.get(c)
    if (end !== undefined) finish(c, end)
    else if (line?.listener === undefined) line?.early.push(f)
    else line.listener.frame(f)
  })
  hot.on("vite:ws:disconnect", () => {
    for (const c of [...lines.keys()]) finish(c, "the dev server has stopped")
  })
  globalThis[Symbol.for("${OPEN_KEY}")] = () => {
    const c = (last += 1)
    const line = { early: [], listener: undefined, end: undefined, begun: false }
    lines.set(c, line)
    return {
      send(f) {
        if (line.end === undefined) hot.send("${HOT_EVENT}", line.begun ? { c, f } : { c, f, k })
        line.begun = true
      },
      listen(listener) {
        line.listener = listener
        for (const f of line.early.splice(0)) listener.frame(f)
        if (line.end !== undefined) listener.closed(line.end)
      },
      close(end = "") {
        if (line.end !== undefined) return
        hot.send("${HOT_EVENT}", { c, end })
        finish(c, end)
      },
    }
  }
})`
