import { once } from "node:events"
import { describe, expect, it, onTestFinished } from "vitest"
import { WebSocket } from "ws"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { createClient, createWebSocketTransport } from "./support/connect.js"
import { serveWebSocket, type WebSocketOptions } from "./support/serve-websocket.js"

async function serveBoard(options: WebSocketOptions = {}) {
  const adapter = createMcpAdapter(createBoard().service)
  const before = adapter.ledger.counts()
  const server = await serveWebSocket(adapter, options)
  onTestFinished(() => server.close().then(adapter.close))
  return { server, adapter, before }
}

describe("a transport written outside the package", () => {
  it("releases a vanished client's resources", async () => {
    const { server, adapter, before } = await serveBoard()
    const socket = new WebSocket(server.url, "mcp")
    const client = createClient("modern")
    await client.connect(createWebSocketTransport(socket))
    await client.listTools()

    socket.terminate()
    await once(socket, "close")
    await server.close()

    expect(adapter.ledger.counts()).toEqual(before)
  })

  it("answers an invalid message, and continues", async () => {
    const { server } = await serveBoard()
    const socket = new WebSocket(server.url, "mcp")
    await once(socket, "open")

    socket.send("{ no JSON")
    const [broken] = await once(socket, "message")
    socket.send(Buffer.from("{}"), { binary: true })
    const [binary] = await once(socket, "message")

    expect([JSON.parse(String(broken)).error.code, JSON.parse(String(binary)).error.code]).toEqual([-32700, -32600])
    socket.close()
    await once(socket, "close")
  })

  it("admits only pages of allowed origins", async () => {
    const { server } = await serveBoard({ allowedOrigins: ["https://app.example"] })
    const good = new WebSocket(server.url, "mcp", { origin: "https://app.example" })
    await once(good, "open")
    good.close()
    const bad = new WebSocket(server.url, "mcp", { origin: "https://evil.example" })

    const [refused] = await once(bad, "error")

    expect(String(refused)).toContain("401")
  })
})
