import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { createMcpAdapter, type McpAdapter } from "../../src/create-adapter.js"
import { hostClock } from "../../src/runtime/host.js"
import { bindSdkV1 } from "../../src/sdk-v1/bind-sdk-v1.js"
import { createBoard } from "./board.mjs"
import { type Connected, createClient, createHttpTransport } from "./connect.js"
import { type LegClient, toLegClient } from "./leg-client.js"
import { createTransportPair } from "./transport-pair.js"

/** Ways to connect a client to an SDK v1 server with an adapter. */
export const sdkV1Connectors = { "in-memory": overMemory, http: overHttp, stdio: overStdio } as const

/** Connects over a transport that either SDK's client can use. */
export type ConnectClient = (transport: Parameters<ReturnType<typeof createClient>["connect"]>[0]) => Promise<LegClient>

/** Both SDKs' clients, in the era of SDK v1. */
export const sdkClients: Readonly<Record<"v1" | "v2", ConnectClient>> = {
  async v1(transport) {
    const client = new Client({ name: "test", version: "0" })
    // Both SDKs have the same transports; their types differ in optional properties.
    await client.connect(transport as Transport)
    return toLegClient(client)
  },
  async v2(transport) {
    const client = createClient("legacy")
    await client.connect(transport)
    return client
  },
}

async function overMemory(connect: ConnectClient): Promise<Connected> {
  const { service, ...board } = createBoard()
  const adapter = createMcpAdapter(service)
  const server = createServerOn(adapter)
  const [mine, other] = createTransportPair(hostClock)
  // The same as for the client.
  await server.connect(other as Transport)
  const client = await connect(mine)
  return { client, adapter, ...board, close: () => client.close().finally(adapter.close) }
}

async function overHttp(connect: ConnectClient): Promise<Connected> {
  const { service, ...board } = createBoard()
  const adapter = createMcpAdapter(service)
  const server = await serveSessions(() => createServerOn(adapter))
  const { transport, streaming } = createHttpTransport(server.url)
  const client = await connect(transport)
  await streaming
  const close = async () => {
    await client.close()
    await server.close()
    adapter.close()
  }
  return { client, adapter, ...board, close }
}

async function overStdio(connect: ConnectClient): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL("serve-board-sdk-v1.mjs", import.meta.url))],
  })
  const client = await connect(transport)
  const signal = (name: NodeJS.Signals) => () => void process.kill(transport.pid ?? 0, name)
  return { client, toggle: signal("SIGUSR2"), count: signal("SIGHUP"), close: () => client.close() }
}

function createServerOn(adapter: McpAdapter): Server {
  const server = new Server({ name: "board", version: "0" })
  bindSdkV1(adapter, server)
  return server
}

/** Serves each session with its own server, as SDK v1's examples do. */
async function serveSessions(create: () => Server): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const known = sessions.get(String(request.headers["mcp-session-id"]))
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await create().connect(transport as Transport) // as for the client
    await transport.handleRequest(request, response)
  }
  const http = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve)
  })
  const address = http.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`,
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close()))
      http.closeAllConnections()
      await new Promise((resolve) => {
        http.close(resolve)
      })
    },
  }
}
