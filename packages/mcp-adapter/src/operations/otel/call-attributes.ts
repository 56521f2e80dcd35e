import type { Attributes } from "@opentelemetry/api"
import type { CallAskedEvent, CallSettledEvent, CallStartedEvent, CallSubject } from "../../calls/adapter-event.js"
import { formatPath } from "../../names/path.js"

/** What spans and measurements of a call have in common (semantic conventions for MCP, spans and metrics of a server). */
export function toMetricAttributes({ name, leg }: CallSubject): Attributes {
  return {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    ...(leg.transport === "http" && { "network.transport": "tcp", "network.protocol.name": "http" }),
    ...(leg.transport === "stdio" && { "network.transport": "pipe" }),
  }
}

/** What else is known when a call starts. */
export function toStartAttributes({ id, principal }: CallStartedEvent): Attributes {
  return { "agentic_service.call.id": id, ...(principal && { "enduser.id": principal.id }) }
}

/** What is known of how a call ended; a failing tool is a result, whatever failed. */
export function toErrorAttributes(call: CallSettledEvent | CallAskedEvent): Attributes {
  return call.type === "call-settled" && !call.outcome.ok ? { "error.type": "tool_error" } : {}
}

/** What else is known when a call has ended. */
export function toEndAttributes(call: CallSettledEvent | CallAskedEvent): Attributes {
  if (call.type === "call-asked") return { "agentic_service.outcome": "asked" }
  const { entry, outcome } = call
  return {
    ...toErrorAttributes(call),
    "agentic_service.outcome": outcome.ok ? "ok" : (outcome.code ?? "failed"),
    ...(entry && { "agentic_service.path": formatPath(entry.path), "agentic_service.key": entry.key }),
  }
}
