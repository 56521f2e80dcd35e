import { createServer, get } from "node:http"
import { createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createNodeHandler, type HttpOptions, type RequestHead, serveHttp } from "../src/border/http.js"
import { createMcpAdapter, type McpAdapter } from "../src/create-adapter.js"
import type { McpAdapterOptions } from "../src/options.js"
import { type Clock, hostClock } from "../src/runtime/host.js"
import { createBoard } from "./support/board.mjs"
import { createClient, createHttpTransport, type Era } from "./support/connect.js"
import { odd, send } from "./support/hostile.mjs"

describe("serveHttp", () => {
  it("answers at its path only", async () => {
    const { server, close } = await serveBoard()

    expect(new URL(server.url).pathname).toBe("/mcp")
    const elsewhere = await fetch(new URL("/", server.url))
    expect([elsewhere.status, await elsewhere.text()]).toEqual([404, expect.stringContaining("/mcp")])
    expect((await fetch(new URL("/mcp?x=1", server.url))).status).toBe(400)

    await close()
  })

  it.each(odd)("serves a request with $name", async (row) => {
    const { server, close } = await serveBoard()

    const answer = await send(Number(new URL(server.url).port), row)

    for (const said of row.says) expect(answer).toMatch(said)
    await close()
  })

  it("names the port in use, and the remedy", async () => {
    const { server, adapter, close } = await serveBoard()
    const port = Number(new URL(server.url).port)

    await expect(serveHttp(adapter, { port })).rejects.toMatchObject({
      code: "listen_failed",
      message: `port ${port} on "127.0.0.1" is already in use: stop the other process, or set another "port"`,
    })

    await close()
  })

  it.each(["legacy", "modern"] as const)("ends what a %s client has open, and holds nothing after", async (era) => {
    const { server, adapter } = await serveBoard()
    const client = await connect(server.url, era)
    const uri = "agentic://board/count"
    if (era === "legacy") await client.subscribeResource({ uri })
    const listening =
      era === "modern" && (await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] }))
    const waiting = client.callTool({ name: "wait" }).catch(() => "ended")

    await server.close()
    await server.close()
    adapter.close()

    if (listening) expect(await listening.closed).toBe("graceful")
    expect(held(adapter)).toEqual({})
    await client.close()
    await waiting
  })

  it("ends open streams when its adapter closes [listen-graceful]", async () => {
    const { server, adapter } = await serveBoard()
    const modern = await connect(server.url, "modern")
    const legacy = await connect(server.url, "legacy")
    const listening = await modern.listen({ toolsListChanged: true })

    adapter.close()

    expect(await listening.closed).toBe("graceful")
    await expect(legacy.listTools()).rejects.toThrow("Session not found")
    await Promise.all([modern.close(), legacy.close(), server.close()])
  })

  it("announces no resources for states that only a tool shows [resources-absent]", async () => {
    const { server, close } = await serveBoard({ states: "tool" })

    for (const era of ["legacy", "modern"] as const) {
      const client = await connect(server.url, era)
      expect(client.getServerCapabilities()).toEqual({
        tools: { listChanged: true },
        // Only modern requests can declare extensions.
        ...(era === "modern" && { extensions: { "io.modelcontextprotocol/tasks": {} } }),
      })
      const listed = client.request({ method: "resources/list" })
      // A probing legacy host must not take the server for a failed one.
      if (era === "legacy") expect(await listed).toEqual({ resources: [] })
      else await expect(listed).rejects.toThrow(/Method not found/)
      await client.close()
    }

    await close()
  })

  it.each(["legacy", "modern"] as const)("tells a %s client nothing of another principal's service", async (era) => {
    const boards = { ann: createBoard(), bob: createBoard() }
    const adapter = createMcpAdapter((principal) => boards[principal?.id === "ann" ? "ann" : "bob"].service, {
      name: "board",
    })
    const principal = (head: RequestHead) => ({ id: head.headers.get("authorization") ?? "" })
    const server = await serveHttp(adapter, { port: 0, principal })
    const ann = await follow(server.url, era, { authorization: "ann" })
    const bob = await follow(server.url, era, { authorization: "bob" })

    boards.ann.toggle()
    await ann.told
    boards.bob.count()

    expect(await bob.told).toBe("notifications/resources/updated")
    await Promise.all([ann.client.close(), bob.client.close(), server.close()])
    adapter.close()
  })

  it("sends a legacy client no updates that only others subscribed to [legacy-subscribe]", async () => {
    const board = createBoard()
    const adapter = createMcpAdapter(board.service)
    const server = await serveHttp(adapter, { port: 0 })
    const subscribed = await follow(server.url, "legacy")
    const other = await follow(server.url, "legacy", { subscribe: false })

    board.count()
    await subscribed.told
    board.toggle()

    expect(await other.told).toBe("notifications/tools/list_changed")
    await Promise.all([subscribed.client.close(), other.client.close(), server.close()])
    adapter.close()
  })

  it("drops a client that never reads, and delays nobody", async () => {
    const key = "x".repeat(60_000)
    const value = new BehaviorSubject(0)
    const service = createAgenticService({ name: "long", states: { [key]: state({ schema: {}, value }) } })
    const adapter = createMcpAdapter(service, {
      clock: quick,
      notices: { windowMs: 0 },
      limits: { definitionChars: 1_000_000 },
    })
    const server = await serveHttp(adapter, { port: 0 })
    const [state0] = (await adapter.list()).states
    const uri = state0?.uri ?? ""
    const deaf = await openDeafStream(server.url, uri)
    const client = await connect(server.url, "modern")
    await client.listen({ resourceSubscriptions: [uri] })
    const dropped = firstValueFrom(
      adapter.events.pipe(filter((event) => event.type === "diagnostic" && event.diagnostic.code === "peer_dropped")),
    ).then(() => "dropped")
    const next = () => {
      const told = new Promise<string>((resolve) => {
        client.setNotificationHandler("notifications/resources/updated", () => resolve("told"))
      })
      value.next(value.value + 1)
      return told
    }

    let rounds = 0
    while ((await Promise.race([dropped, next()])) === "told") expect(rounds++).toBeLessThan(50_000)

    expect(await next()).toBe("told")
    await expect.poll(() => adapter.ledger.counts().stream).toBe(1)
    // A reader that comes last finds the connection reset, not ended.
    expect(await deaf.outcome()).toMatchObject({ code: "ECONNRESET" })
    await client.close()
    await server.close()
    adapter.close()
  })
})

describe("createNodeHandler", () => {
  it("answers at its mount point, even behind a body parser", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const handler = createNodeHandler(adapter)
    const server = createServer(async (request, response) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      void handler.handle(request, response, text === "" ? undefined : JSON.parse(text))
    })
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve)
    })
    const address = server.address()
    const client = await connect(
      `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/any/path`,
      "legacy",
    )

    expect((await client.listTools()).tools).not.toHaveLength(0)

    await client.close()
    await handler.close()
    server.closeAllConnections()
    server.close()
    adapter.close()
  })
})

async function serveBoard(options: HttpOptions = {}, adapterOptions: McpAdapterOptions = {}) {
  const adapter: McpAdapter = createMcpAdapter(createBoard().service, adapterOptions)
  const server = await serveHttp(adapter, { port: 0, ...options })
  const close = async () => {
    await server.close()
    adapter.close()
  }
  return { adapter, server, close }
}

async function connect(url: string, era: Era, authorization?: string) {
  const client = createClient(era)
  const { transport, streaming } = createHttpTransport(url, authorization)
  await client.connect(transport)
  if (era === "legacy") await streaming
  return client
}

/** Creates a client that listens to everything, and returns its first notice. */
async function follow(url: string, era: Era, { authorization = "", subscribe = true } = {}) {
  const uri = "agentic://board/count"
  const client = await connect(url, era, authorization)
  const told = new Promise<string>((resolve) => {
    for (const method of ["notifications/tools/list_changed", "notifications/resources/updated"] as const) {
      client.setNotificationHandler(method, () => resolve(method))
    }
  })
  if (era === "modern") await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] })
  else if (subscribe) await client.subscribeResource({ uri })
  return { client, told }
}

/** Opens a session that subscribes to `uri`, opens its stream and never reads from it. */
async function openDeafStream(url: string, uri: string): Promise<{ outcome(): Promise<unknown> }> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const post = (body: object, session?: string) =>
    fetch(url, {
      method: "POST",
      headers: { ...headers, ...(session && { "mcp-session-id": session }) },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    })
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "deaf", version: "0" } }
  const opened = await post({ id: 0, method: "initialize", params })
  const session = opened.headers.get("mcp-session-id") ?? ""
  await post({ method: "notifications/initialized" }, session)
  await (await post({ id: 1, method: "resources/subscribe", params: { uri } }, session)).text()
  return new Promise((resolve) => {
    get(url, { headers: { ...headers, "mcp-session-id": session }, agent: false }, (response) => {
      const outcome = new Promise((settle) => {
        response.on("error", settle)
        response.on("end", settle)
      })
      const look = () => {
        response.resume()
        return outcome
      }
      resolve({ outcome: look })
    })
  })
}

/** A clock that runs ten times as fast. */
const quick: Clock = { ...hostClock, after: (milliseconds, callback) => hostClock.after(milliseconds / 10, callback) }

/** Returns open resources with a count above 0. */
function held({ ledger }: McpAdapter): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(ledger.counts()).filter(([, count]) => count > 0))
}
