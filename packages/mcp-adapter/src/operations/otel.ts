import {
  type Attributes,
  type BatchObservableCallback,
  type Context,
  context,
  type Link,
  type Meter,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api"
import { type Observable, take } from "rxjs"
import type { CallAskedEvent, CallSettledEvent, CallStartedEvent, CallSubject } from "../calls/adapter-event.js"
import type { Calls } from "../calls/create-calls.js"
import { formatPath } from "../names/path.js"
import type { Health } from "./health.js"
import { type Observed, observe, type Watcher } from "./observe.js"

export type { Watcher } from "./observe.js"

/** What can be traced: an adapter. */
export interface Traced extends Observed {
  /** What runs, waits and is stuck. */
  readonly health: Observable<Health>
  /** Where a call's context is made active. */
  readonly core: {
    /** Puts the context of a trace around each call. */
    readonly calls: Pick<Calls, "around">
  }
}

/** Where spans and measurements go. */
export interface TraceCallsOptions {
  /** Makes the spans. Default: the one of the global provider. */
  readonly tracer?: Tracer
  /** Takes the measurements. Default: the one of the global provider. */
  readonly meter?: Meter
}

/**
 * Makes a span of each call, and measures them, until it is closed or the adapter is; after the semantic conventions for
 * MCP (of OpenTelemetry's generative AI group, in development). The parent is what the client names in `_meta`, read by the
 * global propagator; the span is active while the call is checked and runs, so that spans an action makes are its children.
 * No argument, result or failure message is recorded.
 */
export function traceCalls(adapter: Traced, options: TraceCallsOptions = {}): Watcher {
  const { tracer = trace.getTracer(NAME), meter = metrics.getMeter(NAME) } = options
  const spans = createCallSpans(tracer)
  const measures = measureCalls(meter, adapter.health)
  const unobserve = observe(adapter, (event) => {
    if (event.type === "call-started") spans.begin(event)
    if (event.type !== "call-settled" && event.type !== "call-asked") return
    spans.end(event)
    measures.record(event)
  })
  const leave = adapter.core.calls.around((call, work) => context.with(spans.contextOf(call), work))
  return {
    close() {
      leave()
      unobserve()
      measures.close()
      spans.close()
    },
  }
}

const NAME = "@x/mcp-adapter"

/** The spans of the calls that are not answered yet. */
interface CallSpans {
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
function createCallSpans(tracer: Tracer): CallSpans {
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

/** Measures calls. */
interface CallMeasures {
  /** Takes a call that has ended. */
  record(call: CallSettledEvent | CallAskedEvent): void
  /** Measures no more. */
  close(): void
}

/** Measures how long calls take, and how many run, wait and are stuck whenever the meter is read. */
function measureCalls(meter: Meter, health: Observable<Health>): CallMeasures {
  const durations = meter.createHistogram("mcp.server.operation.duration", {
    description: "How long calls take, from their start to their answer",
    unit: "s",
    advice: { explicitBucketBoundaries: SECONDS },
  })
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(`agentic_service.calls.${name}`, { description, unit: "{call}" })
  const running = gauge("running", "Calls that run")
  const waiting = gauge("waiting", "Calls that wait for a turn")
  const stuck = gauge("stuck", "Actions that go on although they were told to stop")
  const gauges = [running, waiting, stuck]
  const read: BatchObservableCallback = (result) => {
    health.pipe(take(1)).subscribe((now) => {
      result.observe(running, now.running)
      result.observe(waiting, now.waiting)
      result.observe(stuck, now.stuck)
    })
  }
  meter.addBatchObservableCallback(read, gauges)
  return {
    record: (call) =>
      durations.record(call.duration / 1_000, { ...toMetricAttributes(call), ...toErrorAttributes(call) }),
    close: () => meter.removeBatchObservableCallback(read, gauges),
  }
}

/** The buckets that the conventions demand, in seconds. */
const SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** What spans and measurements of a call have in common (semantic conventions for MCP, spans and metrics of a server). */
function toMetricAttributes({ name, leg }: CallSubject): Attributes {
  return {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    ...(leg.transport === "http" && { "network.transport": "tcp", "network.protocol.name": "http" }),
    ...(leg.transport === "stdio" && { "network.transport": "pipe" }),
  }
}

/** What else is known when a call starts. */
function toStartAttributes({ id, principal }: CallStartedEvent): Attributes {
  return { "agentic_service.call.id": id, ...(principal && { "enduser.id": principal.id }) }
}

/** What is known of how a call ended; a failing tool is a result, whatever failed. */
function toErrorAttributes(call: CallSettledEvent | CallAskedEvent): Attributes {
  return call.type === "call-settled" && !call.outcome.ok ? { "error.type": "tool_error" } : {}
}

/** What else is known when a call has ended. */
function toEndAttributes(call: CallSettledEvent | CallAskedEvent): Attributes {
  if (call.type === "call-asked") return { "agentic_service.outcome": "asked" }
  const { entry, outcome } = call
  return {
    ...toErrorAttributes(call),
    "agentic_service.outcome": outcome.ok ? "ok" : (outcome.code ?? "failed"),
    ...(entry && { "agentic_service.path": formatPath(entry.path), "agentic_service.key": entry.key }),
  }
}
