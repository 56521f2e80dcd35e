import { request } from "node:http"
import { connect } from "node:net"
import { filter, firstValueFrom, map } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { type HttpOptions, serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
const forged = { "mcp-session-id": crypto.randomUUID() }

describe("serveHttp", () => {
  it.each([
    ["what is not JSON", {}, "{", 400],
    ["an empty batch", {}, "[]", 400],
    ["a batch outside a session", {}, JSON.stringify([list, list]), 400],
    ["another content type", { "content-type": "text/plain" }, JSON.stringify(list), 415],
    ["another host", { host: "evil.example" }, JSON.stringify(list), 403],
    ["another origin", { origin: "https://evil.example" }, JSON.stringify(list), 403],
    ["a session nobody opened", forged, JSON.stringify(list), 404],
    ["what is nested 10,000 deep", {}, `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, 400],
  ])("refuses %s, and serves on", async (...[, headers, body, status]) => {
    const server = await serve()

    expect(await send(server.url, body, headers)).toMatchObject({ status })
    expect(await send(server.url, initialize)).toMatchObject({ status: 200 })
  })

  it.each([
    ["of another host", "evil.example", 41, ["HTTP/1.1 403 Forbidden"]],
    ["that is too large", "localhost", 100 * 2 ** 20, ["HTTP/1.1 413 Payload Too Large"]],
    ["that is taken", "localhost", 41, ["HTTP/1.1 100 Continue", "HTTP/1.1 400 Bad Request"]],
  ])("asks for a body only where it reads it: one %s", async (...[, host, length, says]) => {
    const server = await serve()

    const answer = await askFirst(Number(new URL(server.url).port), { host, length })

    expect(answer.match(/^HTTP.*$/gm)?.map((line) => line.trim())).toEqual(says)
  })

  it("rejects a body that is too large after its first few bytes", async () => {
    const server = await serve({ maxBodyBytes: 1_000 })
    const hundred = 100 * 2 ** 20

    expect(await send(server.url, "x", { "content-length": String(hundred) })).toMatchObject({ status: 413 })
    expect(await send(server.url, "x".repeat(1_001))).toMatchObject({ status: 413 })
    expect(await send(server.url, initialize)).toMatchObject({ status: 200 })
  })

  it("reports a body that is too large to the operator, once a minute", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const server = await serve({ maxBodyBytes: 1_000 }, adapter)

    await send(server.url, "x".repeat(1_001))
    await send(server.url, "x".repeat(1_001))

    const counted = adapter.health.pipe(map(({ diagnostics }) => diagnostics["body_refused"]))
    expect(await firstValueFrom(counted.pipe(filter((count) => count !== undefined)))).toBe(1)
  })

  it("never holds more than the limit of a 100 MB body without a length", async () => {
    const server = await serve()
    const { sent, status } = await pour(server.url, 100 * 2 ** 20)

    expect(status).toBe(413)
    // Bytes that fit into the sockets' buffers are sent as well.
    expect(sent).toBeLessThan(50 * 2 ** 20)
  })

  it("limits a client that sends too much, and tells it when to retry", async () => {
    const server = await serve({ requestRate: { burst: 1, perSecond: 0.01 } })

    expect(await send(server.url, initialize)).toMatchObject({ status: 200 })
    expect(await send(server.url, initialize)).toMatchObject({ status: 429, retryAfter: "100" })
  })
})

const initialize = JSON.stringify({
  ...list,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } },
})

async function serve(options: HttpOptions = {}, adapter = createMcpAdapter(createBoard().service)) {
  const server = await serveHttp(adapter, { port: 0, ...options })
  onTestFinished(() => server.close().finally(adapter.close))
  return server
}

type Answer = { readonly status: number | undefined; readonly retryAfter: string | undefined }

/** Sends with Node's own client, because `fetch` allows no false `Host` or length. */
function send(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers }
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: "POST", headers: all, agent: false }, (response) => {
      resolve({ status: response.statusCode, retryAfter: response.headers["retry-after"] })
      sending.destroy()
    })
    sending.on("error", reject)
    if ("content-length" in headers) sending.write(body)
    else sending.end(body)
  })
}

/** Sends as much of `size` as the server accepts before it answers. */
async function pour(
  url: string,
  size: number,
): Promise<{ readonly sent: number; readonly status: number | undefined }> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const sending = request(url, { method: "POST", headers, agent: false })
  const chunk = Buffer.alloc(64 * 2 ** 10, " ")
  let sent = 0
  const more = (): void => {
    while (sent < size) {
      sent += chunk.length
      if (!sending.write(chunk)) return
    }
    sending.end()
  }
  sending.on("drain", more)
  more()
  const status = await new Promise<number | undefined>((resolve, reject) => {
    sending.on("response", (response) => resolve(response.statusCode))
    sending.on("error", reject)
  })
  sending.off("drain", more)
  sending.on("error", () => {}).destroy()
  return { sent, status }
}

/** Announces a body, and sends it once requested. */
function askFirst(port: number, { host, length }: { readonly host: string; readonly length: number }): Promise<string> {
  const fields = `Host: ${host}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nConnection: close\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let answer = ""
    socket.on("data", (bytes) => {
      answer += bytes.toString()
      if (answer.endsWith("100 Continue\r\n\r\n")) socket.write('{"jsonrpc":"2.0","id":1,"method":"ping"} ')
      else socket.end()
    })
    socket.on("error", reject).on("close", () => resolve(answer))
    socket.write(`POST /mcp HTTP/1.1\r\n${fields}Content-Length: ${length}\r\n\r\n`)
  })
}
