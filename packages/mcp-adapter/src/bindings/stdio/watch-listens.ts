import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from "@modelcontextprotocol/server"
import type { View } from "../../catalogue/view.js"
import { listenedUris } from "../server/listened-uris.js"

/** Keeps a view watching what the listen streams of one pipe ask for, by looking at the messages that pass. */
export interface ListenWatch {
  /** Takes a message from the client, before the SDK does. */
  received(message: JSONRPCMessage): void
  /** Takes a message to the client: an answer to a listen ends it (2026-07-28, basic/patterns/subscriptions). */
  sent(message: JSONRPCMessage): void
  /** Ends them all. */
  close(): void
}

/**
 * Watches nothing yet.
 *
 * @param asked - Runs when another listen stream is asked for; takes how many are open.
 */
export function watchListens(view: View, asked: (open: number) => void): ListenWatch {
  const open = new Map<RequestId, () => void>()
  const end = (id: unknown): void => {
    if (typeof id !== "string" && typeof id !== "number") return
    open.get(id)?.()
    open.delete(id)
  }
  return {
    received(message) {
      const uris = listenedUris(message)
      if (uris !== undefined && isJSONRPCRequest(message)) {
        end(message.id)
        asked(open.size)
        open.set(message.id, view.watch(uris))
      }
      if ("method" in message && message.method === "notifications/cancelled") end(message.params?.["requestId"])
    },
    sent(message) {
      if (!("method" in message)) end(message.id)
    },
    close() {
      for (const id of open.keys()) end(id)
    },
  }
}
