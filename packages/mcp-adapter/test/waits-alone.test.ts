import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"

/** Runs a module in an otherwise idle process. Returns its exit code and output. */
async function runAlone(code: string): Promise<{ readonly code: unknown; readonly printed: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", `${SILENT}\n${code}`], {
    cwd: new URL("..", import.meta.url),
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [printed, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit")])
  return { code: exitCode, printed: printed.trim() }
}

/** An adapter of a service whose maps never emit. */
const SILENT = `
import { action, createAgenticService, toAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { NEVER } from "rxjs"

const service = { states: NEVER, actions: NEVER, links: NEVER, execute: async () => {} }
const adapter = createMcpAdapter(toAgenticService(service), { limits: { readyWaitMs: 300 } })
adapter.events.subscribe(() => {})
`

describe("a process that only waits for a silent service", () => {
  it.each([
    ["list", "console.log((await adapter.list()).tools.length)", "0"],
    ["read", 'console.log(await adapter.read("agentic://service/a"))', "undefined"],
    ["call", 'console.log((await adapter.call("gone")).kind)', "unknown"],
    [
      "a call that hangs",
      `const hang = action({ description: "Hangs", timeoutMs: 300, execute: () => new Promise(() => {}) })
      const hanging = createMcpAdapter(createAgenticService({ name: "hanging", actions: { hang } }), { calls: { graceMs: 40 } })
      console.log((await hanging.call("hang")).outcome.code)`,
      "timed_out",
    ],
    [
      "fetch",
      `const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
      const { fetch } = createFetchHandler(adapter, { legacy: "stateless" })
      const answer = await fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }))
      console.log(answer.status)`,
      "200",
    ],
    [
      "a pipe's call that waits for changes after it",
      `const { createEndpoint, servePipe } = await import("@x/mcp-adapter/binding")
      const bump = action({ description: "Bumps", execute: () => {} })
      const counter = createMcpAdapter(createAgenticService({ name: "counter", actions: { bump } }))
      const answer = await new Promise((resolve) => {
        const send = (text) => JSON.parse(text).id === 2 && resolve(text)
        const endpoint = createEndpoint(counter, { results: { settle: { quietMs: 300 } } })
        const end = servePipe(endpoint, { send, close() {} }, { transport: "own" })
        end.receive('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}')
        end.receive('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bump"}}')
      })
      console.log(JSON.parse(answer).id)`,
      "2",
    ],
    [
      "a handler that a binding calls",
      `const { createEndpoint, holdProcess } = await import("@x/mcp-adapter/binding")
      const connection = createEndpoint(adapter).open(undefined)
      const letGo = holdProcess()
      await connection.view.ready()
      console.log(connection.view.snapshot().tools.length)
      letGo()`,
      "0",
    ],
  ])("lives until %s is answered, then ends", async (_, code, printed) => {
    expect(await runAlone(code)).toEqual({ code: 0, printed })
  })
})
