import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { W3CTraceContextPropagator } from "@opentelemetry/core"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { action, createAgenticService, fail } from "@x/agentic-service"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { createMcpAdapter, type McpAdapter } from "../src/create-adapter.js"
import { traceCalls } from "../src/telemetry/otel.js"
import { createClient, createHttpTransport, type Era } from "./support/connect.js"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const _meta = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "vendor=1" }

/** The one-time setup of an application with OpenTelemetry's SDK. */
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
})
afterAll(() => {
  context.disable()
  propagation.disable()
})

/** Creates a tracer and a meter, with their records. */
function createTelemetry() {
  const exporter = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("test")
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 1_000_000 })
  const provider = new MeterProvider({ readers: [reader] })
  onTestFinished(() => provider.shutdown())
  /** Returns each metric's current data points. */
  const measure = async () => {
    metricExporter.reset()
    await provider.forceFlush()
    const read = metricExporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    return new Map(read.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]))
  }
  return { tracer, meter: provider.getMeter("test"), spans: () => exporter.getFinishedSpans(), measure }
}

/** Creates a board whose action `add` starts a span, and whose `wait` ends when released. */
function createTraced() {
  const telemetry = createTelemetry()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const query = async (): Promise<void> => {
    await Promise.resolve()
    telemetry.tracer.startSpan("query").end()
  }
  const service = createAgenticService({
    name: "board",
    actions: {
      add: action({ description: "Add", input: { type: "object" }, execute: query }),
      refuse: action({ description: "Refuse", execute: () => fail("no secret card", { code: "empty" }) }),
      wait: action({ description: "Wait", execute: () => held }),
      clear: action({ description: "Clear", confirm: () => "Sure?", execute: () => {} }),
    },
  })
  const adapter = createMcpAdapter(service)
  onTestFinished(adapter.close)
  const watcher = traceCalls(adapter, telemetry)
  return { ...telemetry, adapter, release, watcher }
}

/** Connects a real client over HTTP. */
async function connect(adapter: McpAdapter, era: Era) {
  const server = await serveHttp(adapter, { port: 0 })
  const client = createClient(era)
  await client.connect(createHttpTransport(server.url).transport)
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return client
}

describe("traceCalls", () => {
  it.each<Era>(["legacy", "modern"])("makes a span below the client's, over HTTP in the %s era", async (era) => {
    const { adapter, spans } = createTraced()
    const client = await connect(adapter, era)

    await client.callTool({ name: "add", arguments: { title: "secret" }, _meta })

    const span = spans().find(({ name }) => name === "tools/call add")
    expect(span?.spanContext().traceId).toBe(traceId)
    expect(span?.parentSpanContext).toMatchObject({ spanId, isRemote: true })
    expect(span?.spanContext().traceState?.get("vendor")).toBe("1")
    expect(span).toMatchObject({ kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET } })
    expect(span?.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "add",
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "agentic_service.call.id": expect.any(String),
      "agentic_service.outcome": "ok",
      "agentic_service.path": "",
      "agentic_service.key": "add",
    })
  })

  it("makes an action's own span a child, over HTTP", async () => {
    const { adapter, spans } = createTraced()
    const client = await connect(adapter, "modern")

    await client.callTool({ name: "add", _meta })

    const [query, call] = spans()
    expect([query?.name, call?.name]).toEqual(["query", "tools/call add"])
    expect(query?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId)
  })

  it("starts a trace when the client names none, and otherwise links the transport's span", async () => {
    const { adapter, spans, tracer } = createTraced()
    const http = tracer.startSpan("POST /mcp")

    await context.with(trace.setSpan(ROOT_CONTEXT, http), () => adapter.call("refuse", {}, { trace: _meta }))
    await context.with(trace.setSpan(ROOT_CONTEXT, http), () => adapter.call("refuse"))
    await adapter.call("refuse")

    const [linked, below, first] = spans()
    expect(linked?.parentSpanContext?.spanId).toBe(spanId)
    expect(linked?.links).toMatchObject([{ context: { spanId: http.spanContext().spanId } }])
    expect(below?.parentSpanContext?.spanId).toBe(http.spanContext().spanId)
    expect(below?.links).toEqual([])
    expect(first?.parentSpanContext).toBeUndefined()
  })

  it("records a failed call with its code, but not its message", async () => {
    const { adapter, spans } = createTraced()

    await adapter.call("refuse", {}, { principal: { id: "ann" } })

    const [span] = spans()
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span?.attributes).toMatchObject({
      "error.type": "tool_error",
      "agentic_service.outcome": "empty",
      "enduser.id": "ann",
    })
    expect(JSON.stringify([span?.attributes, span?.events])).not.toContain("secret")
  })

  it("ends the span of a call that asks a person first", async () => {
    const { adapter, spans } = createTraced()

    await adapter.call("clear", {}, { clientCapabilities: { elicitation: {} } })

    expect(spans()).toMatchObject([{ name: "tools/call clear", attributes: { "agentic_service.outcome": "asked" } }])
  })

  it("records a span for one of the adapter's own tools", async () => {
    const { adapter, spans } = createTraced()
    const client = await connect(adapter, "legacy")

    await client.callTool({ name: "get_state", _meta })

    expect(spans()).toMatchObject([{ name: "tools/call get_state", parentSpanContext: { spanId } }])
  })

  it("measures how long calls take, by tool and error", async () => {
    const { adapter, measure } = createTraced()

    await adapter.call("add")
    await adapter.call("refuse")
    await adapter.call("refuse")

    const points = (await measure()).get("mcp.server.operation.duration") ?? []
    const common = { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool" }
    expect(points).toMatchObject([
      { attributes: { ...common, "gen_ai.tool.name": "add" }, value: { count: 1 } },
      { attributes: { ...common, "gen_ai.tool.name": "refuse", "error.type": "tool_error" }, value: { count: 2 } },
    ])
    // The bounds that the conventions require, in seconds.
    expect(points[0]?.value).toMatchObject({ buckets: { boundaries: expect.arrayContaining([0.01, 300]) } })
  })

  it("measures running, waiting and stuck calls", async () => {
    const { adapter, measure, release } = createTraced()
    const calls = [1, 2, 3, 4, 5, 6].map(() => adapter.call("wait"))
    await new Promise((resolve) => setImmediate(resolve))

    const during = await measure()
    release()
    await Promise.all(calls)
    const after = await measure()

    const values = (from: typeof during) =>
      ["running", "waiting", "stuck"].map((name) => from.get(`agentic_service.calls.${name}`)?.[0]?.value)
    expect(values(during)).toEqual([4, 2, 0])
    expect(values(after)).toEqual([0, 0, 0])
  })

  it("leaves nothing behind when it is closed in the middle of a call", async () => {
    const { adapter, measure, release, spans, watcher } = createTraced()
    await adapter.list()
    const call = adapter.call("wait")
    await new Promise((resolve) => setImmediate(resolve))
    const held = adapter.ledger.counts().subscription

    watcher.close()
    watcher.close()
    release()
    await call
    await adapter.call("add")

    expect(spans().map(({ name }) => name)).toEqual(["tools/call wait", "query"])
    expect((await measure()).size).toBe(0)
    expect(adapter.ledger.counts().subscription).toBe(held - 1)
  })

  it("records nothing without a provider, and breaks nothing", async () => {
    const add = action({ description: "Add", execute: () => {} })
    const adapter = createMcpAdapter(createAgenticService({ name: "bare", actions: { add } }))
    onTestFinished(adapter.close)
    const watcher = traceCalls(adapter)

    expect(await adapter.call("add")).toMatchObject({ outcome: { ok: true } })
    watcher.close()
  })
})
