import { once } from "node:events"
import { serve } from "@hono/node-server"
import { createFetchHandler } from "@x/mcp-adapter/fetch"
import { Hono } from "hono"
import { compress } from "hono/compress"
import { cors } from "hono/cors"
import { corsSettings, has, hasCors, PAGE } from "../layers.mjs"
import { closeBoth } from "./express.mjs"

/** Functions that read the body before MCP, by the layer's name. */
const READS = new Map([
  ["json", (request) => request.json()],
  ["text", (request) => request.text()],
  ["raw", (request) => request.arrayBuffer()],
  ["urlencoded", (request) => request.parseBody()],
  ["all", (request) => request.json()],
])

const createRow = (name, { reads, toRoute }) => ({
  name: `Hono, ${name}`,
  lacks: ["own"],
  reads,
  // Its CORS middleware sets the headers last, and exposes only the configured headers.
  changes: { "CORS, named": ["expose"] },
  async start({ layer, adapter, options, paths, port, way }) {
    const mcp = createFetchHandler(adapter, options)
    const app = new Hono()
    if (hasCors(layer)) app.use(cors(corsSettings(layer, { exposed: "exposeHeaders", methods: "allowMethods", way })))
    if (has(layer, "compression")) app.use(compress({ threshold: 0 }))
    app.use(async ({ req, set }, next) => {
      if (req.method === "POST") set("body", await READS.get(layer)?.(req))
      await next()
    })
    for (const path of paths) app.all(path, toRoute(mcp, way))
    app.get("/page", (context) => context.html(PAGE))
    if (has(layer, "catch-all")) app.get("*", (context) => context.html(PAGE))
    const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" })
    if (!server.listening) await once(server, "listening")
    return { close: () => closeBoth(mcp, server) }
  },
})

/** Hono, with MCP mounted directly, and with MCP called from a handler. */
export const onHono = [
  createRow("app.all(path, mcp.fetch)", { reads: [], toRoute: (mcp) => mcp.fetch }),
  createRow("mcp.fetch(context.req.raw)", {
    reads: ["json", "text", "raw", "all"],
    toRoute: (mcp, way) => (context) =>
      mcp.fetch(context.req.raw, way.handOn ? { parsedBody: context.get("body") } : undefined),
  }),
]
