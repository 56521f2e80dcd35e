import { describe, expect, it } from "vitest"
import { toOwnMeta, toTraceContext, traceIdOf } from "./call-context.js"

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

describe("toTraceContext", () => {
  it("reads the three keys of W3C and nothing else", () => {
    const trace = { traceparent, tracestate: "vendor=1", baggage: "user=ann" }

    expect(toTraceContext({ ...trace, progressToken: 1 })).toEqual(trace)
  })

  it("returns undefined for a request without a trace", () => {
    expect(toTraceContext(undefined)).toBeUndefined()
    expect(toTraceContext({ progressToken: 1, tracestate: "vendor=1" })).toBeUndefined()
  })

  it.each([
    "",
    1,
    null,
    traceparent.toUpperCase(),
    `${traceparent}\n`,
    `${traceparent}-00`,
    traceparent.replace(/^00/, "ff"),
    traceparent.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
    traceparent.replace("00f067aa0ba902b7", "0".repeat(16)),
  ])("leaves out the malformed traceparent %j and its state, not the baggage", (malformed) => {
    const meta = { traceparent: malformed, tracestate: "vendor=1", baggage: "user=ann" }

    expect(toTraceContext(meta)).toEqual({ baggage: "user=ann" })
  })

  it("leaves out values that are too long or no strings", () => {
    const long = "x".repeat(8_193)

    expect(toTraceContext({ traceparent, tracestate: long, baggage: long })).toEqual({ traceparent })
    expect(toTraceContext({ traceparent, tracestate: {}, baggage: [] })).toEqual({ traceparent })
  })
})

describe("traceIdOf", () => {
  it("is the second part of the traceparent", () => {
    expect(traceIdOf({ traceparent })).toBe("4bf92f3577b34da6a3ce929d0e0e4736")
    expect(traceIdOf({ baggage: "user=ann" })).toBeUndefined()
  })
})

describe("toOwnMeta", () => {
  it.each([
    "progressToken",
    "traceparent",
    "io.modelcontextprotocol/logLevel",
    "dev.mcp/x",
    "mcp.dev/x",
    "com.mcp.tools/x",
    "MCP/x",
  ])("leaves out %s", (key) => {
    expect(toOwnMeta({ [key]: 1 })).toBeUndefined()
  })

  it.each(["x", "app/x", "com.example/mcp", "com.mcpish/x", "mcp"])("keeps %s", (key) => {
    expect(toOwnMeta({ [key]: 1, progressToken: 2 })).toEqual({ [key]: 1 })
  })
})
