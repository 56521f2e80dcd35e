import type { Channel, ChannelListener } from "./channel.js"

/** What is used of a port: a `MessagePort`, a `Worker`, the `self` of one, or Node's own. */
export interface PortLike {
  /** Sends a message. */
  postMessage(message: unknown): void
  /** Hears messages, and where the host tells of it, that the port is closed. */
  addEventListener(type: string, listener: (event: unknown) => void): void
  /** Stops hearing. */
  removeEventListener(type: string, listener: (event: unknown) => void): void
  /** Begins to deliver, where the host waits for it. */
  start?(): void
  /** Closes it, where it can be closed by this side. */
  close?(): void
}

/**
 * Makes a channel of a port, such as that of a worker or an iframe. The port is this channel's own: what comes over it and is
 * no text is not heard. Not every host says that the other end of a port is gone: a goodbye is, and silence counts as a loss.
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
      // Messages wait until somebody listens.
      port.start?.()
    },
    close(reason = "the port was closed") {
      end(reason)
    },
  }
}
