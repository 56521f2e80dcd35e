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
import type {
  CallAskedEvent,
  CallSettledEvent,
  CallStartedEvent,
  CallSubject,
  Calls,
  Observed,
} from "../border/binding.js"
import { formatPath, type Health, type Watcher } from "../index.js"
import { observe } from "../operations/observe.js"

export type { Watcher } from "../index.js"

/** The traced parts of an adapter. */
export interface Traced extends Observed {
  /** Running, queued and stuck calls. */
  readonly health: Observable<Health>
  /** Gives access to the calls' context. */
  readonly core: {
    /** Runs each call inside a trace context. */
    readonly calls: Pick<Calls, "around">
  }
}

/** Options of {@link traceCalls}. */
export interface TraceCallsOptions {
  /** Creates the spans. Default: the global provider's tracer. */
  readonly tracer?: Tracer
  /** Records the measurements. Default: the global provider's meter. */
  readonly meter?: Meter
}

/**
 * Creates a span for each call and measures calls, until it is closed or the adapter is. It follows the semantic conventions
 * for MCP (OpenTelemetry's generative AI group, in development). The parent is the client's trace context in `_meta`, read by
 * the global propagator. The span is active while the call is checked and runs, so spans created by an action are its children.
 * No argument, result or failure message is recorded.
 *
 * @example
 * ```ts
 * import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { traceCalls } from "@x/mcp-adapter/otel"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const exporter = new InMemorySpanExporter() // in production, one that sends spans to your collector
 * const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
 * traceCalls(adapter, { tracer: provider.getTracer("door") }) // without options: the global provider
 * await adapter.call("greet")
 * console.log(exporter.getFinishedSpans().map(({ name }) => name)) // [ 'tools/call greet' ]
 * adapter.close()
 * ```
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

/** The spans of unanswered calls. */
interface CallSpans {
  /** Begins a call's span. */
  begin(call: CallStartedEvent): void
  /** Ends a call's span, with its outcome. */
  end(call: CallSettledEvent | CallAskedEvent): void
  /** Returns the context with a call's active span; the current context if it has none. */
  contextOf(call: CallSubject): Context
  /** Ends all spans. */
  close(): void
}

/** Creates the spans of one adapter's calls. */
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
      // The span's status has no message, since a failure's message may contain anything.
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

/**
 * Returns the parent of a call's span: the client's span, with the transport's (such as an HTTP request's) linked; without a
 * client's span, the transport's.
 */
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
  /** Records an ended call. */
  record(call: CallSettledEvent | CallAskedEvent): void
  /** Stops measuring. */
  close(): void
}

/** Records the duration of calls, and counts running, queued and stuck ones whenever the meter is read. */
function measureCalls(meter: Meter, health: Observable<Health>): CallMeasures {
  const durations = meter.createHistogram("mcp.server.operation.duration", {
    description: "Duration of calls, from start to answer",
    unit: "s",
    advice: { explicitBucketBoundaries: SECONDS },
  })
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(`agentic_service.calls.${name}`, { description, unit: "{call}" })
  const running = gauge("running", "Running calls")
  const waiting = gauge("waiting", "Calls queued for a turn")
  const stuck = gauge("stuck", "Actions still running after being told to stop")
  const tasks = gauge("tasks", "Calls that outlasted their requests, and whose actions still run")
  const gauges = [running, waiting, stuck, tasks]
  const read: BatchObservableCallback = (result) => {
    health.pipe(take(1)).subscribe((now) => {
      result.observe(running, now.running)
      result.observe(waiting, now.waiting)
      result.observe(stuck, now.stuck)
      result.observe(tasks, now.tasks)
    })
  }
  meter.addBatchObservableCallback(read, gauges)
  return {
    record: (call) =>
      durations.record(call.duration / 1_000, { ...toMetricAttributes(call), ...toErrorAttributes(call) }),
    close: () => meter.removeBatchObservableCallback(read, gauges),
  }
}

/** The buckets that the conventions require, in seconds. */
const SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** Attributes common to a call's span and measurements (semantic conventions for MCP, spans and metrics of a server). */
function toMetricAttributes({ name, leg }: CallSubject): Attributes {
  return {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    ...(leg.transport === "http" && { "network.transport": "tcp", "network.protocol.name": "http" }),
    ...(leg.transport === "stdio" && { "network.transport": "pipe" }),
  }
}

/** Further attributes at the start of a call. */
function toStartAttributes({ id, principal }: CallStartedEvent): Attributes {
  return { "agentic_service.call.id": id, ...(principal && { "enduser.id": principal.id }) }
}

/** The error attributes of an ended call; every failure of a tool has the same type. */
function toErrorAttributes(call: CallSettledEvent | CallAskedEvent): Attributes {
  return call.type === "call-settled" && !call.outcome.ok ? { "error.type": "tool_error" } : {}
}

/** Further attributes at the end of a call. */
function toEndAttributes(call: CallSettledEvent | CallAskedEvent): Attributes {
  if (call.type === "call-asked") return { "agentic_service.outcome": "asked" }
  const { entry, outcome } = call
  return {
    ...toErrorAttributes(call),
    "agentic_service.outcome": outcome.ok ? "ok" : (outcome.code ?? "failed"),
    ...(entry && { "agentic_service.path": formatPath(entry.path), "agentic_service.key": entry.key }),
  }
}
