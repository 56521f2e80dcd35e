import { createServer } from "node:http"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../src/create-adapter.js"
import { bindSdkV1 } from "../src/sdk-v1/bind-sdk-v1.js"
import { createBoard } from "./support/board.mjs"

describe("bindSdkV1, without sessions", () => {
  it("answers each request on a server of its own, and holds nothing between them", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const { url, close } = await serveStateless(() => {
      const server = new Server({ name: "board", version: "0" })
      bindSdkV1(adapter, server, { notices: false })
      return server
    })
    const before = adapter.ledger.counts()

    expect(await post(url, "tools/call", { name: "add" })).toMatchObject({ structuredContent: { result: 1 } })
    expect(await post(url, "resources/read", { uri: "agentic://board/count" })).toMatchObject({
      contents: [{ text: "1" }],
    })

    expect(adapter.ledger.counts()).toEqual(before)
    await close()
    adapter.close()
  })
})

/** Serves each request with its own server and transport, as SDK v1's examples do. */
async function serveStateless(create: () => Server): Promise<{ readonly url: string; close(): Promise<void> }> {
  const http = createServer(async (request, response) => {
    const server = create()
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    // The SDK's types ignore "exactOptionalPropertyTypes".
    await server.connect(transport as Transport)
    await transport.handleRequest(request, response)
    await server.close()
  })
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve)
  })
  const address = http.address()
  const close = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`, close }
}

async function post(url: string, method: string, params: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", connection: "close" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  })
  const { result } = (await response.json()) as { result: unknown } // the shape of a JSON-RPC answer
  return result
}
