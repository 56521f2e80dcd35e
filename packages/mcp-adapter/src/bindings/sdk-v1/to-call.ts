import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { ResultSchema, type ServerNotification, type ServerRequest } from "@modelcontextprotocol/sdk/types.js"
import type { Caller } from "../../endpoint.js"
import { ANSWER_TIME, createPeer } from "../server/create-peer.js"
import { type Call, toContext } from "../server/to-context.js"
import type { Extra } from "./sdk-handler.js"

/** Translates what SDK v1 knows about a request. */
export function toCall(caller: Caller, server: Server, extra: Extra): Call {
  const { signal, sessionId, _meta: meta } = extra
  const { peer, end } = createPeer({
    signal,
    // The SDK sends any method; its types know those of the specification only.
    notify: (message) => extra.sendNotification(message as ServerNotification),
    log: (level, data, logger) => server.sendLoggingMessage({ level, data, ...(logger && { logger }) }, sessionId),
    ...(caller.leg.notices && {
      request: (message) =>
        // As above.
        extra.sendRequest(message as ServerRequest, ResultSchema, { timeout: ANSWER_TIME, signal }),
    }),
    failed: (error) => server.onerror?.(error),
  })
  const clientCapabilities = { ...server.getClientCapabilities() }
  return { context: toContext(caller, { server, meta, signal, peer, clientCapabilities }), end }
}
