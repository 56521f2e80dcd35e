import { serve } from "@hono/node-server"
import { bodyParser } from "@koa/bodyparser"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { createNodeHandler } from "@x/mcp-adapter/http"
import express, { type RequestHandler } from "express"
import express4 from "express-4"
import fastify from "fastify"
import { Hono } from "hono"
import Koa from "koa"
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

/** Returns an application's response to a request. */
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
const READ_BEFORE = "the body was already read"

/** The arguments that MCP's handler receives: all of the framework's, Node's with the parsed body, or Node's alone. */
type HandOn = "what the framework gives" | "less, with the body" | "less"

const HANDED: readonly (readonly [HandOn, object])[] = [
  ["what the framework gives", { status: 200, text: expect.stringContaining('"add"') }],
  ["less, with the body", { status: 200, text: expect.stringContaining('"add"') }],
  ["less", { status: 400, text: expect.stringContaining(READ_BEFORE) }],
]

describe.each([
  ["Express 5", express],
  // Both versions have the same names for routers and parsers.
  ["Express 4", express4 as unknown as typeof express],
])("a body parser of %s before MCP", (...[, express]) => {
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

  it.each(parsers)("does not matter: %s", async (_, parser) => {
    expect(await ask(await start(parser))).toMatchObject({ status: 200, text: expect.stringContaining('"add"') })
  })

  it.each(parsers)("does not matter if its result is passed on: %s", async (_, parser) => {
    const mcp = createNodeHandler(createAdapter())
    const app = express()
    app.use(parser)
    app.all("/mcp", (request, response) => mcp.handle(request, response, request.body))
    const server = app.listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    onTestFinished(() => mcp.close().then(() => void server.close()))

    expect(await ask(portOf(server.address()))).toMatchObject({ status: 200, text: expect.stringContaining('"add"') })
  })

  it("that keeps the body is reported with the fix", async () => {
    const eater: RequestHandler = (request, _, next) => void request.resume().on("end", next)

    expect(await ask(await start(eater))).toMatchObject({ status: 400, text: expect.stringContaining(READ_BEFORE) })
  })

  it("does not let in what a page may send without asking", async () => {
    expect((await ask(await start(express.text({ type: "*/*" })), "text/plain")).status).toBe(415)
  })
})

/** Serves MCP behind Fastify's own parser. */
async function startFastify(handOn: HandOn) {
  const mcp = createNodeHandler(createAdapter())
  const app = fastify()
  app.all("/mcp", (request, reply) =>
    handOn === "what the framework gives"
      ? mcp.handle(request, reply)
      : mcp.handle(request.raw, reply.raw, handOn === "less" ? undefined : request.body),
  )
  await app.listen({ port: 0, host: "127.0.0.1" })
  onTestFinished(() => mcp.close().then(() => app.close()))
  return portOf(app.server.address())
}

/** Serves MCP in Koa, behind a parser. */
async function startKoa(handOn: HandOn) {
  const mcp = createNodeHandler(createAdapter())
  const app = new Koa()
  app.use(bodyParser())
  app.use((context) =>
    handOn === "what the framework gives"
      ? mcp.handle(context)
      : mcp.handle(context.req, context.res, handOn === "less" ? undefined : context.request.body),
  )
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  onTestFinished(() => mcp.close().then(() => void server.close()))
  return portOf(server.address())
}

/** Serves MCP in Hono, after the body was read. */
async function startHono(handOn: HandOn) {
  const mcp = createFetchHandler(createAdapter())
  const app = new Hono()
  app.all("/mcp", async (context) => {
    const parsedBody: unknown = await context.req.json()
    if (handOn === "what the framework gives") return mcp.fetch(context)
    return mcp.fetch(context.req.raw, handOn === "less" ? {} : { parsedBody })
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" })
  await new Promise((resolve) => server.once("listening", resolve))
  onTestFinished(() => mcp.close().then(() => void server.close()))
  return portOf(server.address())
}

describe.each([
  ["Fastify's own parser", startFastify],
  ["a body parser of Koa", startKoa],
  ["Hono's reading of the body", startHono],
])("%s before MCP", (_, start) => {
  it.each(HANDED)("is answered correctly if the application passes on %s", async (handOn, expected) => {
    expect(await ask(await start(handOn))).toMatchObject(expected)
  })
})

describe("a framework's answer of its own", () => {
  it("is sent in Koa only if MCP's promise is not awaited, and is reported", async () => {
    const adapter = createAdapter()
    const told: string[] = []
    adapter.events.subscribe((event) => {
      if (event.type === "diagnostic") told.push(event.diagnostic.code)
    })
    const mcp = createNodeHandler(adapter)
    const app = new Koa()
    app.use(({ req, res }) => {
      void mcp.handle(req, res)
    })
    const server = app.listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    onTestFinished(() => mcp.close().then(() => void server.close()))

    expect(await ask(portOf(server.address()))).toMatchObject({ status: 404 })
    expect(told).toContain("answered_elsewhere")
  })
})
