import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server"
import type { CallContext, Leg } from "../../calls/call-context.js"
import type { Caller } from "../../endpoint.js"
import { anyObject } from "./any-object.js"
import { ANSWER_TIME, createPeer, type PeerWays } from "./create-peer.js"
import { type Call, toContext } from "./to-context.js"

/** Translates what the SDK knows about a request. */
export function toCallContext(caller: Caller, server: Server, request: ServerContext): Call {
  const { _meta: meta, signal, requestState, inputResponses } = request.mcpReq
  const state = requestState()
  const { peer, end } = createPeer({ ...waysOf(request, caller.leg), failed: (error) => server.onerror?.(error) })
  const clientCapabilities = capabilitiesOf(request) ?? server.getClientCapabilities() ?? {}
  return {
    context: {
      ...toContext(caller, { server, meta, signal, peer, clientCapabilities }),
      ...(typeof state === "string" && { requestState: state }),
      ...(inputResponses && { inputResponses: { ...inputResponses } }),
    },
    end,
  }
}

function waysOf({ mcpReq }: ServerContext, { era, notices }: Leg): Omit<PeerWays, "failed"> {
  const { log, notify, send, signal } = mcpReq
  const request: PeerWays["request"] = (message) => send(message, anyObject, { timeout: ANSWER_TIME, signal })
  return { signal, notify, log, ...(era === "legacy" && notices && { request }) }
}

/** What this very request declared: modern requests do, and nothing may be remembered from the ones before. */
function capabilitiesOf(request: ServerContext): CallContext["clientCapabilities"] | undefined {
  // The SDK's type of the envelope names no keys, although it has checked them.
  const envelope: Readonly<Record<string, unknown>> = request.mcpReq.envelope ?? {}
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY]
  return typeof declared === "object" && declared !== null ? { ...declared } : undefined
}
