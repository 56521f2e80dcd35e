import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { createDeferred } from "@x/base"
import type { BodyEnd } from "./exchange.js"

/** Reads the body of one request, and discards its unread rest. */
interface BodyReader {
  /** {@link Exchange.read}. */
  read(take: (bytes: Uint8Array) => boolean): Promise<BodyEnd>
  /** Marks the answer as sent: the rest of the body is discarded. */
  answered(): void
}

const heldBack = new WeakSet<IncomingMessage>()

/** Delays `100 Continue` until the body is read, so that the client sends it only if it is wanted (RFC 9110, 10.1.1). */
export function holdBack(request: IncomingMessage): void {
  heldBack.add(request)
}

/** Creates the reader of a request's body. */
export function createBodyReader(request: IncomingMessage, response: ServerResponse): BodyReader {
  let stop: (how: BodyEnd) => void = ignore
  return {
    read(take) {
      if (request.readableDidRead) return Promise.resolve("taken")
      if (request.destroyed) return Promise.resolve("broken")
      if (heldBack.delete(request)) response.writeContinue()
      const { promise, resolve } = createDeferred<BodyEnd>()
      const onData = (bytes: Uint8Array): void => {
        if (!take(bytes)) stop("stopped")
      }
      const onEnd = (): void => stop("whole")
      const onClose = (): void => stop("broken")
      stop = (how) => {
        stop = ignore
        request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
        if (how === "stopped") request.pause()
        resolve(how)
      }
      request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
      return promise
    },
    answered() {
      stop("stopped")
      if (!request.complete) linger(request)
    },
  }
}

/**
 * Reads and discards the rest of a body after the answer. If the server closed the connection at once, as Node does for
 * `Connection: close`, a client that is still sending would be reset before it sees the answer (RFC 9112, 9.6). Limited in bytes
 * and time: beyond the bytes it stops reading, so that the client has to pause.
 */
function linger(request: IncomingMessage): void {
  const { socket } = request
  let left = LINGER_BYTES
  const onData = (bytes: Uint8Array): void => {
    left -= bytes.length
    if (left < 0) request.pause()
  }
  const timer = setTimeout(() => socket.destroy(), LINGER)
  timer.unref()
  const closeNow = request.httpVersionMajor > 1 ? ignore : closeOnlyWriting(socket)
  const end = (): void => {
    clearTimeout(timer)
    request.off("data", onData)
    closeNow()
  }
  request.on("data", onData).on("error", ignore).once("end", end).once("close", end).resume()
}

/** Lets Node close only the writing half of a connection after an answer. Returns the function that also closes the other half. */
function closeOnlyWriting(socket: Socket): () => void {
  const { destroySoon } = socket
  let closing = false
  socket.destroySoon = () => {
    closing = true
    socket.end()
  }
  return () => {
    socket.destroySoon = destroySoon
    if (closing) socket.destroySoon()
  }
}

/** Limits on reading an unwanted body: bytes and milliseconds. */
const LINGER_BYTES = 2 ** 20
const LINGER = 2_000

function ignore(): void {}
