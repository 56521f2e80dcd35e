import type { Channel, ChannelListener } from "./channel.js"

/** The used part of a WebSocket: a page's, Node's or that of `ws`. */
export interface WebSocketLike {
  /** The state of the connection: connecting (0), open (1), closing (2) or closed (3). */
  readonly readyState: number
  /** Sends text. */
  send(data: string): void
  /** Closes the connection. */
  close(code?: number, reason?: string): void
  /** Drops the connection without a close handshake. Only `ws` has it. */
  terminate?(): void
  /** Adds an event listener. */
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: unknown) => void): void
}

/**
 * Creates a channel from a WebSocket, open or still connecting. With `ws`, set `allowSynchronousEvents` to `false`, so that
 * frames that arrive together are delivered one by one.
 *
 * @example
 * ```ts
 * import { offerService } from "@x/service-wire"
 * import { fromWebSocket, type WebSocketLike } from "@x/service-wire/websocket"
 * import { createAgenticService } from "@x/agentic-service"
 *
 * export const offerOn = (socket: WebSocketLike) =>
 *   offerService(createAgenticService({ name: "board" }), fromWebSocket(socket))
 * ```
 */
export function fromWebSocket(socket: WebSocketLike): Channel {
  const early: string[] = []
  const heard: string[] = []
  let listener: ChannelListener | undefined
  let end: string | undefined

  const finish = (reason: string): void => {
    if (end !== undefined) return
    end = reason
    listener?.closed(reason)
  }
  socket.addEventListener("open", () => {
    for (const frame of early.splice(0)) socket.send(frame)
  })
  socket.addEventListener("message", (event) => {
    const frame = read(event, "data")
    // Binary messages become an empty frame, which the session rejects.
    const text = typeof frame === "string" ? frame : ""
    if (listener === undefined) heard.push(text)
    else if (end === undefined) listener.frame(text)
  })
  socket.addEventListener("error", () => {})
  socket.addEventListener("close", (event) => finish(toReason(event)))

  return {
    send(frame) {
      if (end !== undefined) return
      if (socket.readyState === 0) early.push(frame)
      else if (socket.readyState === 1) socket.send(frame)
    },
    listen(next) {
      listener = next
      for (const frame of heard.splice(0)) next.frame(frame)
      if (end !== undefined) next.closed(end)
    },
    close(reason = "") {
      finish(reason)
      socket.close(1000, fit(reason))
    },
  }
}

function read(event: unknown, name: string): unknown {
  return typeof event === "object" && event !== null ? Reflect.get(event, name) : undefined
}

function toReason(event: unknown): string {
  const reason = read(event, "reason")
  return typeof reason === "string" && reason !== ""
    ? reason
    : `the connection was closed (${String(read(event, "code"))})`
}

/** Cuts a reason to the 123 bytes that a close frame may carry. */
function fit(reason: string): string {
  return reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 120)
}
