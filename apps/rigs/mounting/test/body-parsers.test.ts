import { serve } from "@hono/node-server"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { createNodeHandler } from "@x/mcp-adapter/http"
import express, { type RequestHandler } from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { describe, expect, it, onTestFinished } from "vitest"
import { createNotes } from "../src/create-notes.js"

const LIST = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
}

/** What a request to an application on a port is answered. */
async function ask(port: number, type = "application/json") {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "content-type": type,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/list",
    },
    body: JSON.stringify(LIST),
  })
  return { status: response.status, text: await response.text() }
}

function createAdapter() {
  const adapter = createMcpAdapter(createNotes())
  onTestFinished(adapter.close)
  return adapter
}

const portOf = (address: unknown): number => Number(Reflect.get(Object(address), "port"))
const READ_BEFORE = "the body was read before it reached MCP"

/** Whether the parsed body is handed on, and what is answered then. */
const HANDED = [
  [true, { status: 200, text: expect.stringContaining('"add"') }],
  [false, { status: 400, text: expect.stringContaining(READ_BEFORE) }],
] as const

describe("a body parser of Express before MCP", () => {
  const parsers: readonly (readonly [string, RequestHandler])[] = [
    ["json", express.json()],
    ["text", express.text({ type: "*/*" })],
    ["raw", express.raw({ type: "*/*" })],
    ["urlencoded, which leaves JSON alone", express.urlencoded({ extended: true })],
  ]
  const start = async (...before: readonly RequestHandler[]) => {
    const mcp = createNodeHandler(createAdapter())
    const app = express()
    for (const each of before) app.use(each)
    app.all("/mcp", mcp.handle)
    const server = app.listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    onTestFinished(() => mcp.close().then(() => void server.close()))
    return portOf(server.address())
  }

  it.each(parsers)("is no matter: %s", async (_, parser) => {
    expect(await ask(await start(parser))).toMatchObject({ status: 200, text: expect.stringContaining('"add"') })
  })

  it("that keeps what it reads is named, with what to change", async () => {
    const eater: RequestHandler = (request, _, next) => void request.resume().on("end", next)

    expect(await ask(await start(eater))).toMatchObject({ status: 400, text: expect.stringContaining(READ_BEFORE) })
  })

  it("does not let in what a page may send without asking", async () => {
    expect((await ask(await start(express.text({ type: "*/*" })), "text/plain")).status).toBe(415)
  })
})

/** Serves MCP behind Fastify's own parser. */
async function startFastify(handOn: boolean) {
  const mcp = createNodeHandler(createAdapter())
  const app = fastify()
  app.all("/mcp", (request, reply) => {
    reply.hijack()
    mcp.handle(request.raw, reply.raw, handOn ? request.body : undefined)
  })
  await app.listen({ port: 0, host: "127.0.0.1" })
  onTestFinished(() => mcp.close().then(() => app.close()))
  return portOf(app.server.address())
}

/** Serves MCP in Hono, after the body was read. */
async function startHono(handOn: boolean) {
  const mcp = createFetchHandler(createAdapter())
  const app = new Hono()
  app.all("/mcp", async (context) => {
    const parsedBody: unknown = await context.req.json()
    return mcp.fetch(context.req.raw, handOn ? { parsedBody } : {})
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" })
  await new Promise((resolve) => server.once("listening", resolve))
  onTestFinished(() => mcp.close().then(() => void server.close()))
  return portOf(server.address())
}

describe.each([
  ["Fastify's own parser", startFastify],
  ["Hono's reading of the body", startHono],
])("%s before MCP", (_, start) => {
  it.each(HANDED)("is answered where the body is handed on: %s", async (handOn, expected) => {
    expect(await ask(await start(handOn))).toMatchObject(expected)
  })
})
