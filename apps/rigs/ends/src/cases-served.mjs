// The cases of services, adapters, and their servers.

import { Client } from "@modelcontextprotocol/client"
import { toAgenticService } from "@x/agentic-service"
import { createFedService } from "@x/agentic-service/adapter"
import { createAgentNetworks } from "@x/chat-service"
import * as chat from "@x/chat-service/fetch"
import * as chatOnNode from "@x/chat-service/http"
import { createLiveView, record } from "@x/live-view"
import { createLiveViewHandler } from "@x/live-view/node"
import { createMcpAdapter, logCalls } from "@x/mcp-adapter"
import { createEndpoint, servePipe } from "@x/mcp-adapter/binding"
import { createFetchHandler, createHttpEndpoint, toFetchHandler } from "@x/mcp-adapter/fetch"
import { createNodeHandler, serveHttp, toNodeHandler } from "@x/mcp-adapter/http"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { traceCalls } from "@x/mcp-adapter/otel"
import { bindSdkV1 } from "@x/mcp-adapter/sdk-v1"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { EMPTY } from "rxjs"
import { WebSocketServer } from "ws"
import {
  FEED,
  keys,
  live,
  make,
  makeChat,
  mcp,
  onAdapter,
  onChat,
  onEndpoint,
  onFetch,
  onServer,
  service,
} from "./kinds.mjs"
import { holdClient, holdSocket } from "./parts.mjs"

export const served = {
  "@x/agentic-service createAgenticService": service(make),
  "@x/agentic-service toAgenticService": service(() =>
    toAgenticService({ states: EMPTY, actions: EMPTY, links: EMPTY, execute() {} }),
  ),
  "@x/agentic-service/adapter createFedService": service(() =>
    createFedService({
      name: "fed",
      declared: { states: {}, actions: {}, links: {} },
      states: FEED,
      actions: FEED,
      links: FEED,
    }),
  ),
  "@x/chat-service createAgentNetworks": service(() => createAgentNetworks({ name: "hive", networks$: EMPTY })),
  "@x/chat-service createChatService": service(makeChat),
  "@x/chat-service/fetch createChatFetchHandler": onFetch(
    (adapter) => chat.createChatFetchHandler(adapter, { keys }),
    "/v1/chat",
  ),
  "@x/chat-service/http createChatFetchHandler": onFetch(
    (adapter) => chatOnNode.createChatFetchHandler(adapter, { keys }),
    "/v1/chat",
  ),
  "@x/chat-service/http createChatNodeHandler": onChat((adapter) =>
    chatOnNode.createChatNodeHandler(adapter, { keys }),
  ),
  "@x/live-view createLiveView": onFetch(createLiveView, "/live/events"),
  "@x/live-view record": onAdapter(record),
  "@x/live-view/node createLiveViewHandler": onServer(createLiveViewHandler, live),
  "@x/mcp-adapter createMcpAdapter": {
    async open({ silent } = {}) {
      const under = make(silent)
      const use = async (it) => {
        void it.list().catch(() => {})
        void it.call("greet")
      }
      return { it: createMcpAdapter(under), under: [() => under.close()], use }
    },
  },
  "@x/mcp-adapter logCalls": onAdapter((adapter) => logCalls(adapter, { info() {}, warn() {}, error() {} })),
  "@x/mcp-adapter/binding servePipe": onAdapter((adapter) =>
    servePipe(createEndpoint(adapter), { send() {}, close() {} }, { transport: "websocket" }),
  ),
  "@x/mcp-adapter/fetch createFetchHandler": onFetch(createFetchHandler, "/mcp"),
  "@x/mcp-adapter/fetch createHttpEndpoint": onEndpoint(createHttpEndpoint, mcp),
  "@x/mcp-adapter/fetch toFetchHandler": onFetch((adapter) => toFetchHandler(createHttpEndpoint(adapter)), "/mcp"),
  "@x/mcp-adapter/http createHttpEndpoint": onEndpoint(createHttpEndpoint, mcp),
  "@x/mcp-adapter/http createNodeHandler": onServer(createNodeHandler, mcp),
  "@x/mcp-adapter/http serveHttp": onAdapter(
    (adapter) => serveHttp(adapter, { port: 0 }),
    async ({ url, server }) => {
      // Another WebSocket on the same server, such as for hot reloading, must not keep the server open.
      const others = new WebSocketServer({ noServer: true })
      server.on("upgrade", (request, socket, head) => others.handleUpgrade(request, socket, head, () => {}))
      const leave = [await holdClient(url), await holdSocket(url.replace("http", "ws"))]
      return () => Promise.all(leave.map((each) => each()))
    },
  ),
  "@x/mcp-adapter/http toNodeHandler": onServer((adapter) => toNodeHandler(createHttpEndpoint(adapter)), mcp),
  "@x/mcp-adapter/in-memory connectInMemory": onAdapter(connectInMemory, async (it) => {
    const client = new Client({ name: "holder", version: "0.0.0" })
    await client.connect(it)
    return () => client.close()
  }),
  "@x/mcp-adapter/otel traceCalls": onAdapter((adapter) => traceCalls(adapter)),
  "@x/mcp-adapter/sdk-v1 bindSdkV1": onAdapter(async (adapter) => {
    const { Server } = await import("@modelcontextprotocol/sdk/server/index.js")
    const capabilities = {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
    }
    return bindSdkV1(adapter, new Server({ name: "test", version: "0" }, { capabilities }))
  }),
  "@x/mcp-adapter/stdio serveStdio": onAdapter((adapter) => serveStdio(adapter)),
}
