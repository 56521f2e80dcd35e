import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server"
import type { Progress } from "@x/agentic-service"
import type { CallContext } from "../calls/call-context.js"
import type { Caller } from "../endpoint.js"

/** A request of the SDK as the neutral layers know it. */
export interface Call {
  /** What the handler gets. */
  readonly context: CallContext
  /** Stops progress: nothing may follow the answer (2026-07-28, basic/patterns/progress). */
  end(): void
}

/** Translates what the SDK knows about a request. */
export function toCallContext(caller: Caller, server: Server, request: ServerContext): Call {
  const { signal, requestState } = request.mcpReq
  const state = requestState()
  const { report, end } = progressOf(request, (error) => server.onerror?.(error))
  return {
    context: {
      ...caller,
      signal,
      ...(report && { progress: report }),
      clientCapabilities: capabilitiesOf(request) ?? server.getClientCapabilities() ?? {},
      ...(typeof state === "string" && { requestState: state }),
      answers: {},
    },
    end,
  }
}

/** What this very request declared: modern requests do, and nothing may be remembered from the ones before. */
function capabilitiesOf(request: ServerContext): CallContext["clientCapabilities"] | undefined {
  // The SDK's type of the envelope names no keys, although it has checked them.
  const envelope: Readonly<Record<string, unknown>> = request.mcpReq.envelope ?? {}
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY]
  return typeof declared === "object" && declared !== null ? { ...declared } : undefined
}

function progressOf(request: ServerContext, failed: (error: Error) => void) {
  const { _meta: meta, notify, signal } = request.mcpReq
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return { end: () => {} }
  let latest = Number.NEGATIVE_INFINITY
  const report = (progress: Progress): void => {
    if (signal.aborted || !Number.isFinite(progress.progress) || progress.progress <= latest) return
    latest = progress.progress
    notify({ method: "notifications/progress", params: { progressToken, ...progress } }).catch(failed)
  }
  return {
    report,
    end: () => {
      latest = Number.POSITIVE_INFINITY
    },
  }
}
