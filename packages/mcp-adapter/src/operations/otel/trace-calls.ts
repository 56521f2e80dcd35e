import { context, type Meter, metrics, type Tracer, trace } from "@opentelemetry/api"
import type { Observable } from "rxjs"
import type { Around } from "../../calls/around.js"
import type { Health } from "../health.js"
import { type Observed, observe, type Watcher } from "../observe.js"
import { createCallSpans } from "./call-spans.js"
import { measureCalls } from "./measure-calls.js"

/** What can be traced: an adapter. */
export interface Traced extends Observed {
  /** What runs, waits and is stuck. */
  readonly health: Observable<Health>
  /** Where a call's context is made active. */
  readonly core: {
    /** Puts something around every call. */
    readonly around: (around: Around) => () => void
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
  const leave = adapter.core.around((call, work) => context.with(spans.contextOf(call), work))
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
