/**
 * Where a call belongs in a distributed trace, as its client says in the request's `_meta` (2026-07-28, basic#meta, which
 * takes the formats of W3C Trace Context and Baggage). A stranger may claim any trace: good for correlation, not for trust.
 */
export interface TraceContext {
  /** Version, trace id, parent span id and flags: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent?: string
  /** What vendors add to the trace; only with a `traceparent`. At most 8,192 characters. */
  readonly tracestate?: string
  /** What the application sends along the trace. At most 8,192 characters. */
  readonly baggage?: string
}

/** What a request's `_meta` says of a trace; what is malformed or too long is left out, and `undefined` is that it says nothing. */
export function toTraceContext(meta: Readonly<Record<string, unknown>> | undefined): TraceContext | undefined {
  if (meta === undefined) return undefined
  const { traceparent, tracestate, baggage } = meta
  const parented = typeof traceparent === "string" && TRACEPARENT.test(traceparent)
  if (!parented && !isText(baggage)) return undefined
  return {
    ...(parented && { traceparent }),
    ...(parented && isText(tracestate) && { tracestate }),
    ...(isText(baggage) && { baggage }),
  }
}

/** The id of the trace, 32 hexadecimal digits; `undefined` where there is none. */
export function traceIdOf(trace: TraceContext | undefined): string | undefined {
  return trace?.traceparent?.slice(3, 35)
}

/** The one version there is; ids of zeros are invalid (W3C Trace Context, 3.2.2). */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 8_192
}
