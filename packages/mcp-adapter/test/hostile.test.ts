import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { createAgenticService, state } from "@x/agentic-service"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { bearerToken, createHttpEndpoint, type FetchOptions, toNodeHandler } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { hostile, plain, send } from "./support/hostile.mjs"

describe("hostile requests", () => {
  const adapter = createMcpAdapter(createBoard().service)
  const endpoint = createHttpEndpoint(adapter, { requestRate: false })
  const handler = toNodeHandler(endpoint)
  const server = createServer(({ url = "" }, response) => {
    const request = response.req
    if (/^\/mcp\/?(\?.*)?$/.test(url)) void handler.handle(request, response)
    else response.writeHead(404).end()
  })
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    port = (server.address() as AddressInfo).port // It listens at a port.
  })
  afterAll(async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
    adapter.close()
  })

  it.each(hostile)("$name", async (row) => {
    const looks = countLooks()
    const holds = followHeld(endpoint.held)
    const answer = await send(port, row)
    const [looked, held] = [looks.end(), holds.end()]
    const after = await send(port, plain)

    for (const said of row.says) expect(answer).toMatch(said)
    expect(held).toBeLessThanOrEqual(row.held)
    expect(looked).toBeLessThanOrEqual(row.looked)
    expect(endpoint.held()).toBe(0)
    for (const said of plain.says) expect(after).toMatch(said)
  })
})

describe("a flood", () => {
  it("of silent connections holds no memory, and delays nobody", async () => {
    const { port, endpoint } = await serve()
    const mute = await Promise.all(Array.from({ length: 200 }, () => open(port)))

    const answer = await send(port, plain)

    for (const said of plain.says) expect(answer).toMatch(said)
    expect(endpoint.held()).toBe(0)
    expect(mute.every(({ gone }) => !gone())).toBe(true)
  })

  it("of endless bodies holds one client's limit, and delays nobody", async () => {
    const { port, endpoint, told } = await serve({ maxClientBytes: 4 * MB })
    const holds = followHeld(endpoint.held)
    const slow = await Promise.all(Array.from({ length: 40 }, () => open(port, unfinished())))

    expect(await Promise.race(slow.map(({ answered }) => answered))).toMatch(/^HTTP\/1.1 429 /)
    const answer = await send(port, plain)

    for (const said of plain.says) expect(answer).toMatch(said)
    expect(holds.end()).toBeLessThanOrEqual(4 * MB + 65_536)
    expect(told("held_limit")).toBe(1)
  })

  it("of unauthenticated bodies holds no memory", async () => {
    const { port, endpoint, told } = await serve({ authenticate: bearerToken("a-long-enough-secret") })
    const holds = followHeld(endpoint.held)

    const slow = await Promise.all(Array.from({ length: 40 }, () => open(port, unfinished())))
    const answers = await Promise.all(slow.map(({ answered }) => answered))

    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 401 /)
    expect(holds.end()).toBe(0)
    expect(told("auth_refused")).toBe(1)
  })

  it("of unread answers holds one client's limit, then ends", async () => {
    const { port, endpoint, told, read, connections } = await serve({ maxClientBytes: 4 * MB })
    const holds = followHeld(endpoint.held)
    await open(port, Array(100).fill(read).join(""), false)

    await expect.poll(() => told("held_limit")).toBe(1)
    await expect.poll(connections).toBe(0)

    // One answer exists before it is known to be too large.
    expect(holds.end()).toBeLessThanOrEqual(5 * MB + 65_536)
    expect(endpoint.held()).toBe(0)
  })
})

const MB = 2 ** 20

/** Starts a server that counts its diagnostics. */
async function serve(options: FetchOptions = {}) {
  const big = state({ description: "1 MB", schema: { type: "string" }, value: "x".repeat(MB) })
  const adapter = createMcpAdapter(createAgenticService({ name: "big", states: { big } }))
  const told: string[] = []
  adapter.events.subscribe((event) => {
    if (event.type === "diagnostic") told.push(event.diagnostic.code)
  })
  const endpoint = createHttpEndpoint(adapter, { requestRate: false, ...options })
  const handler = toNodeHandler(endpoint)
  const server = createServer((request, response) => handler.handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await handler.close()
    adapter.close()
  })
  const uri = (await adapter.list()).states[0]?.uri ?? ""
  return {
    endpoint,
    port: (server.address() as AddressInfo).port, // It listens at a port.
    told: (code: string) => told.filter((each) => each === code).length,
    read: toRead(uri),
    connections: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
  }
}

function toRead(uri: string): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri, _meta } })
  const own = `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\nMcp-Name: ${uri}\r\n`
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${own}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** Creates a request that sends 1 MB of 3 MB. */
function unfinished(): string {
  const fields = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${3 * MB}\r\n`
  return `POST /mcp HTTP/1.1\r\n${fields}\r\n${"x".repeat(MB)}`
}

/** Opens a connection, sends a text, and stays open until the test ends. */
async function open(port: number, text = "", reading = true) {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => {})
  const answered = new Promise<string>((resolve) => {
    if (reading) socket.once("data", (chunk) => resolve(chunk.toString()))
  })
  await new Promise((resolve) => socket.once("connect", resolve))
  socket.write(text)
  return { answered, gone: () => socket.destroyed }
}

/** Samples the held bytes at every turn of the event loop. */
function followHeld(held: () => number) {
  let most = 0
  let next: NodeJS.Immediate
  const look = (): void => {
    most = Math.max(most, held())
    next = setImmediate(look)
  }
  look()
  return {
    end() {
      clearImmediate(next)
      return most
    },
  }
}

/** Counts each property and item that is read from parsed JSON. */
function countLooks() {
  const parse = JSON.parse
  let count = 0
  const watched = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    return new Proxy(value, {
      get(target, key, receiver) {
        count += 1
        return watched(Reflect.get(target, key, receiver))
      },
      getOwnPropertyDescriptor(target, key) {
        count += 1
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
    })
  }
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => watched(parse(text, reviver)))
  return {
    end() {
      spy.mockRestore()
      return count
    },
  }
}
