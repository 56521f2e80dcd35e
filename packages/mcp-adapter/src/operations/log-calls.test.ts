import { action, createAgenticService, fail } from "@x/agentic-service"
import pino from "pino"
import { describe, expect, it, onTestFinished } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import { createMcpAdapter, type McpAdapter } from "../create-adapter.js"
import { type LogCallsOptions, type Logger, logCalls } from "./log-calls.js"

type Line = Readonly<Record<string, unknown>>

/** Creates a service whose actions end in every way. */
function createStore(): McpAdapter {
  const Text = { type: "object", properties: { title: { type: "string" } }, additionalProperties: false } as const
  const adapter = createMcpAdapter(
    createAgenticService({
      name: "store",
      actions: {
        add: action({ description: "Add", input: Text, execute: ({ title }) => ({ added: title }) }),
        refuse: action({
          description: "Refuse",
          input: Text,
          execute: ({ title }) => fail(`no ${title}`, { code: "empty" }),
        }),
        crash: action({
          description: "Crash",
          execute: () => {
            throw Object.assign(new Error("broken pipe"), { headers: { authorization: "Bearer secret" } })
          },
        }),
        clear: action({ description: "Clear", confirm: () => "Sure?", execute: () => {} }),
      },
    }),
  )
  onTestFinished(adapter.close)
  return adapter
}

/** Collects pino's output as parsed lines. */
function logTo(adapter: McpAdapter, options?: LogCallsOptions, settings: pino.LoggerOptions = {}) {
  const lines: Line[] = []
  const logger = pino({ base: null, ...settings }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { lines, watcher: logCalls(adapter, logger, options) }
}

const context = contextWith({
  principal: { id: "ann" },
  client: "ann",
  trace: { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" },
})

describe("logCalls", () => {
  it("writes one line for a call: caller, tool, duration, sizes and outcome", async () => {
    const adapter = createStore()
    const { lines } = logTo(adapter)

    await adapter.call("add", { title: "secret" }, context)

    expect(lines).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        msg: "call answered",
        call: expect.any(String),
        tool: "add",
        path: "",
        key: "add",
        principal: "ann",
        client: "ann",
        transport: "stdio",
        era: "legacy",
        traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
        duration: expect.any(Number),
        argumentsSize: '{"title":"secret"}'.length,
        outcome: "ok",
        resultSize: '{"added":"secret"}'.length,
      },
    ])
  })

  it("writes no argument, result or failure message", async () => {
    const adapter = createStore()
    const { lines } = logTo(adapter)

    await adapter.call("add", { title: "secret" })
    await adapter.call("add", { title: 1, secret: "secret" })
    await adapter.call("refuse", { title: "secret" })
    await adapter.call("crash")

    expect(lines.map(({ outcome }) => outcome)).toEqual(["ok", "invalid_input", "empty", undefined, "action_failed"])
    expect(JSON.stringify(lines)).not.toContain("secret")
  })

  it("chooses the level by severity", async () => {
    const adapter = createStore()
    const { lines } = logTo(adapter)

    await adapter.call("refuse", { title: "a" })
    await adapter.call("clear", {}, { clientCapabilities: { elicitation: {} } })

    expect(lines).toMatchObject([
      { level: 40, msg: "call failed", outcome: "empty" },
      { level: 30, msg: "call asks a person", tool: "clear", outcome: "asked" },
    ])
  })

  it("writes a diagnostic with the stack of its cause", async () => {
    const adapter = createStore()
    const { lines } = logTo(adapter)

    await adapter.call("crash")
    adapter.core.host.report({ code: "rate_limit", message: "too many", path: ["a", "b"], key: "c" })

    expect(lines).toMatchObject([
      { level: 50, code: "action_failed", err: { stack: expect.stringContaining("Error: broken pipe\n    at ") } },
      { outcome: "action_failed" },
      { level: 40, code: "rate_limit", msg: "too many", path: "a/b", key: "c" },
    ])
  })

  it("writes arguments through the logger's own redaction, if enabled", async () => {
    const adapter = createStore()
    const { lines } = logTo(adapter, { arguments: true }, { redact: ["arguments.title"] })

    await adapter.call("add", { title: "secret" })

    expect(lines).toMatchObject([{ arguments: { title: "[Redacted]" } }])
  })

  it("writes a function's result for arguments, and never the arguments if it throws", async () => {
    const adapter = createStore()
    const { lines } = logTo(adapter, {
      arguments({ title }, tool) {
        if (title === "secret") throw new Error("cannot redact")
        return `${tool} of ${String(title)}`
      },
    })

    await adapter.call("add", { title: "a" })
    await adapter.call("add", { title: "secret" })

    expect(lines[0]).toMatchObject({ arguments: "add of a" })
    expect(lines[1]).toMatchObject({ outcome: "ok" })
    expect(JSON.stringify(lines[1])).not.toContain("secret")
  })

  it("writes no usable session id", async () => {
    const adapter = createStore()
    const { lines } = logTo(adapter)
    const leg = { transport: "http", era: "legacy", notices: true } as const

    await adapter.call("add", {}, { client: "session-1", leg })
    await adapter.call("add", {}, { client: "session-1", leg })

    const [one, other] = lines.map(({ client }) => client)
    expect(one).toMatch(/^[0-9a-z]{9}$/)
    expect(other).toBe(one)
  })

  it("survives a logger that throws", async () => {
    const adapter = createStore()
    const broken = (): never => {
      throw new Error("disk full")
    }
    const logger: Logger = { info: broken, warn: broken, error: broken }
    logCalls(adapter, logger)
    const { lines } = logTo(adapter)

    const answer = await adapter.call("add", { title: "a" })

    expect(answer).toMatchObject({ outcome: { ok: true } })
    expect(lines).toHaveLength(1)
  })

  it("stops when it is closed, and holds nothing", async () => {
    const adapter = createStore()
    await adapter.list()
    const before = adapter.ledger.counts()
    const { lines, watcher } = logTo(adapter)

    watcher.close()
    watcher.close()
    await adapter.call("add")

    expect(lines).toEqual([])
    expect(adapter.ledger.counts().subscription).toBe(before.subscription)
  })
})
