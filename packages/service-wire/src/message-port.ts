import type { Channel, ChannelListener } from "./channel.js"

/** The used part of a port: a `MessagePort`, a `Worker`, the `self` of a worker, or Node's own port. */
export interface PortLike {
  /** Sends a message. */
  postMessage(message: unknown): void
  /** Adds a listener for messages, or for the port's close on hosts that report it. */
  addEventListener(type: string, listener: (event: unknown) => void): void
  /** Removes a listener. */
  removeEventListener(type: string, listener: (event: unknown) => void): void
  /** Starts delivery, on hosts that wait for it. */
  start?(): void
  /** Closes the port, if this side can. */
  close?(): void
}

/**
 * Creates a channel from a port, such as a worker's or an iframe's. The channel owns the port: messages that are not text are
 * ignored. Not every host reports that the other end of a port has closed. The channel then ends with a goodbye, or is lost
 * after a silence.
 *
 * @example
 * ```ts
 * import { fromMessagePort } from "@x/service-wire/message-port"
 *
 * const { port1, port2 } = new MessageChannel()
 * const channels = [fromMessagePort(port1), fromMessagePort(port2)]
 * for (const channel of channels) channel.close()
 * ```
 */
export function fromMessagePort(port: PortLike): Channel {
  let listener: ChannelListener | undefined
  let closed = false

  const onMessage = (event: unknown): void => {
    const data = typeof event === "object" && event !== null && "data" in event ? event.data : undefined
    if (typeof data === "string") listener?.frame(data)
  }
  const onClose = (): void => end("the port was closed")
  const end = (reason: string): void => {
    if (closed) return
    closed = true
    port.removeEventListener("message", onMessage)
    port.removeEventListener("close", onClose)
    port.close?.()
    listener?.closed(reason)
  }

  return {
    send(frame) {
      if (!closed) port.postMessage(frame)
    },
    listen(next) {
      listener = next
      if (closed) return next.closed("the port was closed")
      port.addEventListener("message", onMessage)
      port.addEventListener("close", onClose)
      // The port holds messages back until started.
      port.start?.()
    },
    close(reason = "the port was closed") {
      end(reason)
    },
  }
}
