import {
  type Context,
  context,
  type Link,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api"
import type { CallAskedEvent, CallSettledEvent, CallStartedEvent, CallSubject } from "../../calls/adapter-event.js"
import { toEndAttributes, toMetricAttributes, toStartAttributes } from "./call-attributes.js"

/** The spans of the calls that are not answered yet. */
export interface CallSpans {
  /** Begins the span of a call. */
  begin(call: CallStartedEvent): void
  /** Ends it, with what came of the call. */
  end(call: CallSettledEvent | CallAskedEvent): void
  /** The context in which a call's span is active; the one there is where it has none. */
  contextOf(call: CallSubject): Context
  /** Ends them all. */
  close(): void
}

/** No spans yet. */
export function createCallSpans(tracer: Tracer): CallSpans {
  const open = new Map<string, { readonly span: Span; readonly within: Context }>()
  return {
    begin(call) {
      const { parent, links } = toParent(call)
      const attributes = { ...toMetricAttributes(call), ...toStartAttributes(call) }
      const span = tracer.startSpan(`tools/call ${call.name}`, { kind: SpanKind.SERVER, attributes, links }, parent)
      open.set(call.id, { span, within: trace.setSpan(parent, span) })
    },
    end(call) {
      const span = open.get(call.id)?.span
      open.delete(call.id)
      if (span === undefined) return
      span.setAttributes(toEndAttributes(call))
      // The failure's message may hold anything, so the status has none.
      if (call.type === "call-settled" && !call.outcome.ok) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    contextOf: ({ id }) => open.get(id)?.within ?? context.active(),
    close() {
      for (const { span } of open.values()) span.end()
      open.clear()
    },
  }
}

/** The client's span is the parent; that of the transport, such as of an HTTP request, is linked then, and the parent else. */
function toParent({ trace: carrier }: CallStartedEvent): { readonly parent: Context; readonly links: Link[] } {
  const ambient = context.active()
  if (carrier === undefined) return { parent: ambient, links: [] }
  const parent = propagation.extract(ambient, carrier)
  const linked = trace.getSpanContext(ambient)
  const remote = trace.getSpanContext(parent)
  return { parent, links: linked === undefined || linked.spanId === remote?.spanId ? [] : [{ context: linked }] }
}
