// The ends of linked services and of their transports.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { fromMcpClient, fromMcpServer, mcpExtension } from "@x/mcp-upstream"
import * as upstreamOnNode from "@x/mcp-upstream/node"
import { connectPage } from "@x/page-bridge"
import { createPageHost } from "@x/page-bridge/host"
import { pageMiddleware } from "@x/page-bridge/middleware"
import { acceptPages } from "@x/page-bridge/node"
import { createMemoryRecords } from "@x/records"
import { createLibsqlRecords } from "@x/records-libsql"
import { openDatabase } from "@x/records-libsql/database"
import { defineAgent } from "@x/service-cli"
import { createMirrorSwitch, mirrorService, offerService } from "@x/service-wire"
import { fromMessagePort } from "@x/service-wire/message-port"
import { fromWebSocket } from "@x/service-wire/websocket"
import { createTestClient } from "@x/testing"
import { offerToBrowser } from "@x/webmcp-adapter"
import { WebSocket, WebSocketServer } from "ws"
import { follow, make, makeBrowser, service, upstream, wire } from "./kinds.mjs"
import { holdClient, holdEvents, holdSocket, listen, makeAdapter, makeService } from "./parts.mjs"

export const linked = {
  "@x/mcp-upstream fromMcpClient": {
    async open({ silent } = {}) {
      const { adapter, under } = makeAdapter(make(silent))
      const client = new Client({ name: "inner", version: "0.0.0" })
      if (!silent) await client.connect(connectInMemory(adapter))
      return { it: fromMcpClient(client), under: [() => client.close(), ...under], use: follow }
    },
  },
  "@x/mcp-upstream fromMcpServer": upstream((url) => fromMcpServer({ url })),
  "@x/mcp-upstream mcpExtension": upstream((url) => {
    const server = fromMcpServer({ url })
    const extension = mcpExtension(server)
    return {
      service: server,
      async close() {
        await extension.close()
        await server.close()
      },
    }
  }),
  "@x/mcp-upstream/node createGateway": upstream((url) =>
    upstreamOnNode.createGateway({
      mcpServers: {
        web: { url },
        program: { command: "sleep", args: ["60"] },
        gone: { url: "http://127.0.0.1:9/mcp" },
      },
    }),
  ),
  "@x/mcp-upstream/node fromMcpServer": {
    // The program never answers.
    open: async () => ({ it: upstreamOnNode.fromMcpServer({ command: "sleep", args: ["60"] }), use: follow }),
  },
  "@x/page-bridge connectPage": {
    async open({ silent } = {}) {
      makeBrowser()
      const { server, port, end } = await listen()
      const pages = acceptPages(server)
      const board = make(silent)
      const open = () =>
        fromWebSocket(
          new WebSocket(
            `ws://localhost:${port}/mcp/pages`,
            ["agentic-page.1", `token.${Buffer.from(pages.token).toString("base64url")}`],
            {
              headers: { origin: `http://localhost:${port}` },
            },
          ).on("error", () => {}),
        )
      const it = connectPage(board, { open })
      const use = () =>
        new Promise((resolve) => {
          it.status.subscribe(({ state }) => state === "connected" && resolve())
        })
      return { it, under: [() => pages.close(), end, () => board.close()], use }
    },
  },
  "@x/page-bridge/host createPageHost": {
    async open() {
      const { port1, port2 } = new MessageChannel()
      const it = createPageHost()
      // A page that does not identify itself.
      const use = async () => it.accept(fromMessagePort(port1), { origin: "http://localhost" })
      return { it, under: [() => port2.close()], use }
    },
  },
  "@x/page-bridge/middleware pageMiddleware": {
    async open() {
      const it = pageMiddleware()
      const { server, port, end } = await listen((request, response) => it(request, response))
      it.attach(server)
      const use = async () => {
        const origin = `http://localhost:${port}`
        const leave = [
          await holdClient(`http://127.0.0.1:${port}/__mcp`),
          await holdEvents(`http://127.0.0.1:${port}/__mcp/live/events`),
        ]
        leave.push(
          await holdSocket(`ws://127.0.0.1:${port}/mcp/pages`, ["agentic-page.1"], {
            host: `localhost:${port}`,
            origin,
          }),
        )
        return () => Promise.all(leave.map((each) => each()))
      }
      return { it, under: [end], use }
    },
  },
  "@x/page-bridge/node acceptPages": {
    async open() {
      const { server, port, end } = await listen()
      const it = acceptPages(server)
      const token = `token.${Buffer.from(it.token).toString("base64url")}`
      const use = async () => {
        const origin = `http://localhost:${port}`
        const letGo = await follow(it)
        const leave = await holdSocket(`ws://127.0.0.1:${port}/mcp/pages`, ["agentic-page.1", token], {
          host: `localhost:${port}`,
          origin,
        })
        return () => Promise.all([letGo(), leave()])
      }
      return { it, under: [end], use }
    },
  },
  "@x/records createMemoryRecords": { open: async () => ({ it: createMemoryRecords(), use: useRecords }) },
  "@x/records-libsql createLibsqlRecords": {
    open: async () => ({ it: createLibsqlRecords({ file: newFile() }), use: useRecords }),
  },
  "@x/records-libsql/database openDatabase": {
    open: async () => ({
      it: await openDatabase(newFile(), { name: "the end", schema: "CREATE TABLE t (x)", version: 1 }),
    }),
  },
  "@x/service-cli defineAgent": service(() =>
    defineAgent({ name: "echo", description: "Echoes", execute: ({ input }) => ({ result: input }) }),
  ),
  "@x/service-wire createMirrorSwitch": wire((offered, [near, far]) => {
    const it = createMirrorSwitch()
    it.attach(near, { changed() {} })
    return { it, other: offerService(offered, far) }
  }),
  "@x/service-wire mirrorService": wire(
    (offered, [near, far]) => ({ it: mirrorService(near), other: offerService(offered, far) }),
    follow,
  ),
  "@x/service-wire offerService": wire(
    (offered, [near, far]) => ({ it: offerService(offered, far), other: mirrorService(near) }),
    async () => undefined,
  ),
  "@x/service-wire/message-port fromMessagePort": {
    async open() {
      const { port1, port2 } = new MessageChannel()
      const it = fromMessagePort(port1)
      it.listen({ frame() {}, closed() {} })
      return { it, under: [() => port2.close()] }
    },
  },
  "@x/service-wire/websocket fromWebSocket": {
    async open({ silent } = {}) {
      const { server, port, end } = await listen()
      const others = new WebSocketServer({ noServer: true })
      // The server accepts the connection and never answers, so the socket closes before it opens.
      const held = new Set()
      server.on("upgrade", (request, socket, head) => {
        held.add(socket.on("error", () => {}))
        if (!silent) others.handleUpgrade(request, socket, head, () => {})
      })
      const socket = new WebSocket(`ws://127.0.0.1:${port}`)
      const it = fromWebSocket(socket)
      it.listen({ frame() {}, closed() {} })
      const use = async () => {
        if (socket.readyState !== WebSocket.OPEN) await new Promise((resolve) => socket.once("open", resolve))
      }
      const cut = () => {
        for (const each of held) each.destroy()
      }
      return { it, under: [cut, end], use }
    },
  },
  "@x/testing createTestClient": {
    async open() {
      const under = makeService()
      return { it: await createTestClient(under), under: [() => under.close()] }
    },
  },
  "@x/webmcp-adapter offerToBrowser": {
    async open({ silent } = {}) {
      const tools = new Map()
      globalThis.document = {
        modelContext: {
          registerTool: async (tool, { signal }) => {
            tools.set(tool.name, tool)
            signal?.addEventListener("abort", () => tools.delete(tool.name))
          },
        },
      }
      const under = make(silent)
      return { it: offerToBrowser(under), under: [() => under.close()] }
    },
  },
}

/** Watches a collection while it is written. */
async function useRecords(store) {
  const records = store.collection({ name: "marks", ttlMs: 60_000, full: "refuse" })
  const stop = records.watch(() => {})
  const made = records.create("key", 1).catch(() => undefined)
  return async () => {
    stop()
    await made
  }
}

/** Returns a file in a folder that is removed when the process ends. */
function newFile() {
  const folder = mkdtempSync(join(tmpdir(), "ends-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "records.db")
}
