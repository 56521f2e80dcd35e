import type { ServerContext } from "@modelcontextprotocol/server"
import type { Leg } from "../calls/call-context.js"
import type { Peer } from "../calls/peer.js"
import { anyObject } from "./any-object.js"

/** How long a client may take to answer, in milliseconds: there may be a person behind it. */
const ANSWER_TIME = 600_000

/** The client behind one request of the SDK, until the request is answered. */
export function createPeer(
  { mcpReq }: ServerContext,
  { era, notices }: Leg,
  failed: (error: Error) => void,
): { readonly peer: Peer; end(): void } {
  const { signal } = mcpReq
  let open = true
  const send = (message: () => Promise<void>): void => {
    if (open && !signal.aborted) message().catch(failed)
  }
  const peer: Peer = {
    notify: (method, params) => send(() => mcpReq.notify({ method, ...(params && { params: { ...params } }) })),
    log: (level, data, logger) => send(() => mcpReq.log(level, data, logger)),
  }
  const request: Peer["request"] = (method, params) =>
    mcpReq.send({ method, ...(params && { params: { ...params } }) }, anyObject, { timeout: ANSWER_TIME, signal })
  return {
    peer: era === "legacy" && notices ? { ...peer, request } : peer,
    end() {
      open = false
    },
  }
}
