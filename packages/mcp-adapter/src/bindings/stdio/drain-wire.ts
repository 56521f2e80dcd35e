import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/server"
import { listenedUris } from "../server/listened-uris.js"
import type { TimerHost } from "../server/timer-in.js"
import { createWork, type Work } from "../server/work.js"

/** A wire that can finish what was asked before it ends. */
export interface DrainedWire extends Transport {
  /** Refuses further requests, and resolves once those before are answered, the wire closes, or the time is over. */
  drain(milliseconds: number): Promise<void>
}

/** Follows the requests of a wire to their answers. What listens is not counted: it is answered when the server ends it. */
export function drainWire(wire: Transport, host: TimerHost): DrainedWire {
  const open = createOpenRequests(createWork(host))
  let draining = false
  const line: DrainedWire = {
    start: () => wire.start(),
    close: () => wire.close(),
    async send(message, options) {
      await wire.send(message, options).finally(() => open.sent(message))
    },
    drain(milliseconds) {
      draining = true
      return open.work.idle(milliseconds)
    },
  }
  wire.onmessage = (message, extra) => {
    if (draining && "method" in message && "id" in message) return void refuse(wire, message.id)
    open.received(message)
    line.onmessage?.(message, extra)
  }
  wire.onerror = (error) => line.onerror?.(error)
  wire.onclose = () => {
    open.clear()
    line.onclose?.()
  }
  return line
}

function createOpenRequests(work: Work) {
  const open = new Map<unknown, () => void>()
  const end = (id: unknown): void => {
    open.get(id)?.()
    open.delete(id)
  }
  return {
    work,
    received(message: JSONRPCMessage) {
      if (!("method" in message)) return
      // A request that was cancelled is not answered.
      if (message.method === "notifications/cancelled") end(message.params?.["requestId"])
      if (!("id" in message) || listenedUris(message) !== undefined) return
      end(message.id)
      open.set(message.id, work.begin())
    },
    sent(message: JSONRPCMessage) {
      if (!("method" in message)) end(message.id)
    },
    clear() {
      for (const id of [...open.keys()]) end(id)
    },
  }
}

/** A wire that cannot take the refusal is closing anyway. */
function refuse(wire: Transport, id: RequestId): Promise<void> {
  const error = { code: -32000, message: "the server is closing" }
  return wire.send({ jsonrpc: "2.0", id, error }).catch(() => undefined)
}
