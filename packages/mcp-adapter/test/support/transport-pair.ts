import type { Transport } from "@modelcontextprotocol/server"
import { settled } from "../../src/border/server/deliver-notices.js"
import type { Clock } from "../../src/runtime/host.js"

/**
 * Creates two connected transports. Messages cross as JSON text, so nothing is shared that a real wire would not carry. Each
 * arrives in its own task, in order. Closing one end closes both.
 */
export function createTransportPair(clock: Clock): readonly [Transport, Transport] {
  let open = true
  const createEnd = (other: () => Transport): Transport => {
    let last = Promise.resolve()
    return {
      start: async () => {},
      send(message) {
        if (!open) return Promise.reject(new Error("the in-memory connection is closed"))
        const text = JSON.stringify(message)
        last = last.then(() => settled(clock)).then(() => deliver(other(), text))
        return last
      },
      async close() {
        if (!open) return
        open = false
        other().onclose?.()
        this.onclose?.()
      },
    }
  }
  const deliver = (to: Transport, text: string): void => {
    if (open) to.onmessage?.(JSON.parse(text))
  }
  const one: Transport = createEnd(() => other)
  const other: Transport = createEnd(() => one)
  return [one, other]
}
