import { once } from "node:events"
import { MessageChannel } from "node:worker_threads"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server"
import { action, createAgenticService } from "@x/agentic-service"
import { filter, firstValueFrom, skip } from "rxjs"
import { describe, expect, it } from "vitest"
import { connectInMemory, type InMemoryOptions } from "../src/border/in-memory.js"
import { servePipe } from "../src/border/pipe/serve-pipe.js"
import { createMcpAdapter, type McpAdapter } from "../src/create-adapter.js"
import { createEndpoint } from "../src/create-endpoint.js"
import { createBoard } from "./support/board.mjs"
import { envelope, toMessage } from "./support/wire.js"

const URI = "agentic://board/count"

describe("one pipe", () => {
  it.each(["legacy", "modern"] as const)("carries what a call changed before its answer, %s", async (era) => {
    const { peer, close } = connectBoard()
    await peer.open(era)

    await peer.request("tools/call", { name: "start" })

    expect(peer.heard().slice(-2)).toEqual(["notifications/tools/list_changed", "answer"])
    await close()
  })

  it("makes the view watch a modern client's resources while it listens [listen-cancel]", async () => {
    const { peer, board, adapter, close } = connectBoard()
    const lease = adapter.core.open(undefined)
    const told: string[] = []
    lease.view.notices.subscribe((notice) => told.push(notice.kind))
    await peer.open("modern")
    const listen = await peer.listen({ resourceSubscriptions: [URI] })

    board.count()
    await peer.hears("notifications/resources/updated")
    expect(told).toEqual(["updated"])

    peer.send({ method: "notifications/cancelled", params: { requestId: listen } })
    await peer.request("tools/list")
    board.count()
    board.toggle()
    await peer.hears("notifications/tools/list_changed")
    expect(told).toEqual(["updated", "tools"])

    lease.release()
    await close()
  })

  it("limits a client's listen streams, and reports to the operator", async () => {
    const { peer, adapter, close } = connectBoard({ maxListens: 1 })
    const limited = firstValueFrom(adapter.health.pipe(filter(({ diagnostics }) => diagnostics.listen_limit === 1)))
    await peer.open("modern")

    // Only a refused stream is answered.
    await peer.request("subscriptions/listen", { notifications: { toolsListChanged: true } })

    expect((await limited).diagnostics).toEqual({ listen_limit: 1 })
    await close()
  })

  it("sends a legacy client no notices before it is initialized [initialized-first]", async () => {
    const { peer, board, close } = connectBoard()
    await peer.request("initialize", initialize)

    board.toggle()
    await peer.request("tools/list")
    peer.send({ method: "notifications/initialized" })
    board.toggle()
    await peer.hears("notifications/tools/list_changed")

    expect(peer.heard().filter((method) => method !== "answer")).toHaveLength(1)
    await close()
  })

  it("releases everything when the client closes", async () => {
    const { peer, adapter, transport } = connectBoard()
    await peer.open("legacy")
    await peer.request("resources/subscribe", { uri: URI })

    await transport.close()
    adapter.close()

    expect(held(adapter)).toEqual({})
  })

  it("ends when its adapter closes", async () => {
    const { peer, adapter, transport } = connectBoard()
    await peer.open("modern")
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve
    })

    adapter.close()

    await closed
    expect(held(adapter)).toEqual({})
  })

  it("sends over a function that returns something other than a promise", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const { port1, port2 } = new MessageChannel()
    const served = servePipe(
      createEndpoint(adapter),
      { send: (text) => port1.postMessage(text), close: () => port1.close() },
      { transport: "own" },
    )

    served.receive(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize }))
    const [answer] = await once(port2, "message")
    await served.close()

    expect(JSON.parse(answer)).toMatchObject({ id: 0, result: { serverInfo: { name: "board" } } })
    adapter.close()
    expect(held(adapter)).toEqual({})
  })

  it.each(["legacy", "modern"] as const)(
    "answers what it has to stop when it is closed, and says why, %s",
    async (era) => {
      const obey = action({
        description: "Work until told to stop",
        execute: (_, { signal }) =>
          new Promise<never>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason))
          }),
      })
      const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { obey } }))
      const sent: string[] = []
      const pipe = { send: (text: string) => void sent.push(text), close: () => {} }
      const served = servePipe(createEndpoint(adapter), pipe, { transport: "own", drainMs: 20 })
      const receive = (message: object) => served.receive(JSON.stringify({ jsonrpc: "2.0", ...message }))
      if (era === "legacy") receive({ id: 0, method: "initialize", params: initialize })
      if (era === "legacy") receive({ method: "notifications/initialized" })
      receive({ id: 1, method: "tools/call", params: { name: "obey", ...(era === "modern" && { _meta: envelope }) } })
      await expect.poll(() => adapter.ledger.counts().call).toBe(1)

      const closed = served.close()
      receive({ id: 2, method: "tools/list", params: era === "modern" ? { _meta: envelope } : {} })
      await closed

      const answers = sent.map((text) => toMessage(JSON.parse(text))).filter(({ id }) => id === 1 || id === 2)
      expect(answers).toMatchObject([
        { id: 2, error: { code: -32000, message: expect.stringContaining("closing") } },
        { id: 1, result: { isError: true, content: [{ text: expect.stringContaining("the server is closing") }] } },
      ])
      adapter.close()
      expect(held(adapter)).toEqual({})
    },
  )

  it("closes on a peer that leaves too many notifications unread", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const reported: string[] = []
    adapter.events.subscribe((event) => event.type === "diagnostic" && reported.push(event.diagnostic.code))
    const aborted = firstValueFrom(
      adapter.events.pipe(
        filter(({ type }) => type === "call-settled"),
        skip(2),
      ),
    )
    // A pipe whose other end never reads.
    const deaf = { send: () => new Promise<void>(() => {}), close: () => {} }
    const served = servePipe(createEndpoint(adapter), deaf, { transport: "stdio" })
    const receive = (message: object) => served.receive(JSON.stringify({ jsonrpc: "2.0", ...message }))
    const progressToken = "x".repeat(2 ** 19)
    receive({ id: 0, method: "initialize", params: initialize })
    receive({ method: "notifications/initialized" })

    for (const id of [1, 2, 3])
      receive({ id, method: "tools/call", params: { name: "wait", _meta: { progressToken } } })

    await served.closed
    await aborted
    expect(reported).toContain("peer_dropped")
    adapter.close()
    expect(held(adapter)).toEqual({})
  })
})

const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } }

function connectBoard(options: InMemoryOptions = {}) {
  const board = createBoard()
  const adapter = createMcpAdapter(board.service)
  const transport = connectInMemory(adapter, options)
  const close = async () => {
    await transport.close()
    adapter.close()
  }
  return { board, adapter, transport, peer: createPeer(transport), close }
}

/** Creates a client that records the order of its messages. */
function createPeer(transport: Transport) {
  const heard: string[] = []
  const waiting = new Map<string, () => void>()
  let era = "legacy"
  let ids = 0
  transport.onmessage = (message: JSONRPCMessage) => {
    heard.push("method" in message ? message.method : "answer")
    waiting.get("method" in message ? message.method : String(message.id))?.()
  }
  const hears = (what: string) =>
    new Promise<void>((resolve) => {
      waiting.set(what, resolve)
    })
  const toParams = (params: object) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    }
    return era === "modern" ? { ...params, _meta } : { ...params }
  }
  const send = (message: { id?: number; method: string; params?: object }) => {
    void transport.send({ jsonrpc: "2.0", ...message, params: toParams(message.params ?? {}) })
  }
  const request = (method: string, params: object = {}) => {
    ids += 1
    send({ id: ids, method, params })
    return hears(String(ids))
  }
  const listen = async (notifications: object) => {
    ids += 1
    send({ id: ids, method: "subscriptions/listen", params: { notifications } })
    await hears("notifications/subscriptions/acknowledged")
    return ids
  }
  const open = async (asked: "legacy" | "modern") => {
    era = asked
    if (era === "modern") return void (await listen({ toolsListChanged: true }))
    await request("initialize", initialize)
    send({ method: "notifications/initialized" })
  }
  return { send, request, hears, listen, open, heard: () => [...heard] }
}

/** Returns open resources with a count above 0. */
function held({ ledger }: McpAdapter): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(ledger.counts()).filter(([, count]) => count > 0))
}
