import { once } from "node:events"
import { serve } from "@hono/node-server"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { createNodeHandler } from "@x/mcp-adapter/http"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import Koa from "koa"
import { afterEach, describe, expect, it } from "vitest"
import { createNotes } from "../src/create-notes.js"
import { serveWithExpress } from "../src/express.js"
import { serveWithFastify } from "../src/fastify.js"
import { serveWithHono } from "../src/hono.js"
import { serveWithKoa } from "../src/koa.js"
import { serveWithNest } from "../src/nest.js"
import type { Serve } from "./mount.js"

const PAGE = "<!doctype html>"

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Starts an application and collects the requests to it and the diagnostics of `stream_unserved`. */
async function start(serveWith: Serve) {
  const adapter = createMcpAdapter(createNotes())
  const told: string[] = []
  let hear = (): void => {}
  const reported = new Promise<void>((resolve) => {
    hear = resolve
  })
  adapter.events.subscribe((event) => {
    if (event.type !== "diagnostic" || event.diagnostic.code !== "stream_unserved") return
    told.push(event.diagnostic.message)
    hear()
  })
  const { server, close } = await serveWith(adapter, 0)
  closers.push(close)
  // The check is the only request with this header.
  const checked = new Promise<void>((resolve) => {
    server.on("request", (request, response) => {
      if (request.headers["mcp-mount-check"] !== undefined) response.once("close", resolve)
    })
  })
  if (server.address() === null) await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the example does not listen on a port")
  return { url: `http://localhost:${address.port}/mcp`, told, reported, checked }
}

async function connect(url: string) {
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: "legacy" } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  closers.push(() => client.close())
}

const shadowed: readonly (readonly [string, Serve])[] = [
  [
    "Express, behind a page's catch-all",
    (adapter, port) => {
      const mcp = createNodeHandler(adapter)
      const app = express()
      app.get("/{*path}", (_, response) => void response.type("html").send(PAGE))
      app.all("/mcp", mcp.handle)
      const server = app.listen(port, "127.0.0.1")
      return { server, close: () => mcp.close().then(() => server.close()) }
    },
  ],
  [
    "Express, under a prefix that it removes",
    (adapter, port) => {
      const mcp = createNodeHandler(adapter)
      const app = express()
      app.get("/{*path}", (_, response) => void response.type("html").send(PAGE))
      app.use("/mcp", mcp.handle)
      const server = app.listen(port, "127.0.0.1")
      return { server, close: () => mcp.close().then(() => server.close()) }
    },
  ],
  [
    "Fastify, for POST alone",
    async (adapter, port) => {
      const mcp = createNodeHandler(adapter)
      const app = fastify()
      app.post("/mcp", mcp.handle)
      app.addHook("preClose", () => mcp.close())
      await app.listen({ port, host: "127.0.0.1" })
      return { server: app.server, close: () => app.close() }
    },
  ],
  [
    "Koa, behind a page's catch-all",
    (adapter, port) => {
      const mcp = createNodeHandler(adapter)
      const app = new Koa()
      app.use((context, next) => {
        if (context.method !== "GET") return next()
        context.body = PAGE
        return undefined
      })
      app.use((context) => mcp.handle(context))
      const server = app.listen(port, "127.0.0.1")
      return { server, close: () => mcp.close().then(() => server.close()) }
    },
  ],
  [
    "Hono, behind a page's catch-all",
    (adapter, port) => {
      const mcp = createFetchHandler(adapter)
      const app = new Hono()
      app.get("*", (context) => context.html(PAGE))
      app.all("/mcp", mcp.fetch)
      const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" })
      return { server, close: () => mcp.close().then(() => server.close()) }
    },
  ],
]

describe("a stream for notifications that does not reach MCP", () => {
  it.each(shadowed)("is reported once, with the fix: %s", async (_name, serveWith) => {
    const { url, told, reported } = await start(serveWith)

    await connect(url)
    await connect(url)
    await reported

    expect(told).toEqual([expect.stringMatching(/^GET ".*\/mcp" does not reach this endpoint .*app\.all\("\/mcp"/)])
  })
})

describe("a stream for notifications that reaches MCP", () => {
  it.each<[string, Serve]>([
    ["Express", serveWithExpress],
    ["Fastify", serveWithFastify],
    ["Hono", serveWithHono],
    ["Koa", serveWithKoa],
    ["Nest", serveWithNest],
  ])("is found, and nothing is reported: %s", async (_name, serveWith) => {
    const { url, told, checked } = await start(serveWith)

    await connect(url)
    await checked

    expect(told).toEqual([])
  })

  it("is found without asking the application's sign-in", async () => {
    const asked: (string | null)[] = []
    const { url, told, checked } = await start((adapter, port) => {
      const mcp = createNodeHandler(adapter, {
        authenticate({ headers }) {
          asked.push(headers.get("mcp-mount-check"))
          return { id: "ann" }
        },
      })
      const app = express()
      app.all("/mcp", mcp.handle)
      const server = app.listen(port, "127.0.0.1")
      return { server, close: () => mcp.close().then(() => server.close()) }
    })

    await connect(url)
    await checked

    expect(asked.filter((header) => header !== null)).toEqual([])
    expect(told).toEqual([])
  })
})
