import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** Starts a legacy HTTP server with sessions and a tool that counts its calls. It fails on demand. */
export async function serveSite() {
  let [session, count, port] = [0, 0, 0]
  let name = "site"
  let known = new Set<string>()
  let fail: number | "hold" | undefined
  const answers: Readonly<Record<string, () => object>> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name, version: "1" },
    }),
    "tools/list": () => ({ tools: [{ name: "count", inputSchema: { type: "object" } }] }),
    "tools/call": () => {
      count += 1
      return { content: [{ type: "text", text: String(count) }] }
    },
  }
  const open = (): string => {
    session += 1
    known.add(String(session))
    return String(session)
  }
  const respond = (response: ServerResponse, { id, method }: { id?: unknown; method: string }): unknown => {
    if (id === undefined) return response.writeHead(202).end()
    if (method === "tools/call" && fail === "hold") return undefined
    if (method === "tools/call" && typeof fail === "number") return response.writeHead(fail).end()
    const result = answers[method]?.()
    const answer = result === undefined ? { error: { code: -32601, message: "no" } } : { result }
    response.setHeader("content-type", "application/json")
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
  }
  const http = createServer(async (request, response) => {
    let body = ""
    for await (const part of request) body += String(part)
    if (request.method !== "POST") return response.writeHead(405).end()
    const message = JSON.parse(body)
    if (message.method === "initialize") response.setHeader("mcp-session-id", open())
    else if (!known.has(String(request.headers["mcp-session-id"]))) return response.writeHead(404).end()
    return respond(response, message)
  })
  const start = () => new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  await start()
  port = (http.address() as AddressInfo).port // it listens on a port
  onTestFinished(stop)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    start,
    stop,
    sessions: () => session,
    calls: () => count,
    rename: (next: string) => {
      name = next
    },
    forget: () => {
      known = new Set()
    },
    hold: () => {
      fail = "hold"
    },
    refuse: (status: number) => {
      fail = status
    },
    goOn: () => {
      fail = undefined
    },
  }
}
