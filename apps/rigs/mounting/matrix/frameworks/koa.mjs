import { once } from "node:events"
import { buffer } from "node:stream/consumers"
import { bodyParser } from "@koa/bodyparser"
import cors from "@koa/cors"
import { createNodeHandler } from "@x/mcp-adapter/http"
import Koa from "koa"
import compress from "koa-compress"
import { corsSettings, has, hasCors, PAGE } from "../layers.mjs"
import { closeBoth } from "./express.mjs"

const PARSERS = new Map([
  ["json", bodyParser()],
  ["all", bodyParser()],
  ["urlencoded", bodyParser({ enableTypes: ["form"] })],
  ["text", bodyParser({ enableTypes: ["text"], extendTypes: { text: ["application/json"] } })],
  ["raw", readBytes],
])

async function readBytes(context, next) {
  context.request.body = await buffer(context.req)
  await next()
}

const createRow = (name, { reads, serve }) => ({
  name: `Koa, ${name}`,
  lacks: ["own"],
  reads,
  async start({ layer, adapter, options, paths, port, way }) {
    const mcp = createNodeHandler(adapter, options)
    const app = new Koa()
    if (hasCors(layer)) app.use(cors(corsSettings(layer, { exposed: "exposeHeaders", methods: "allowMethods", way })))
    if (has(layer, "compression")) app.use(compress({ threshold: 0 }))
    if (PARSERS.has(layer)) app.use(PARSERS.get(layer))
    app.use((context, next) => (paths.includes(context.path) ? serve(mcp, context, way) : next()))
    app.use((context) => {
      if (context.path === "/page" || has(layer, "catch-all")) context.body = PAGE
    })
    const server = app.listen(port, "127.0.0.1")
    await once(server, "listening")
    return { close: () => closeBoth(mcp, server) }
  },
})

/** Koa, with MCP called with its context, and with Node's request and response. */
export const onKoa = [
  createRow("mcp.handle(context)", { reads: [], serve: (mcp, context) => mcp.handle(context) }),
  createRow("mcp.handle(context.req, context.res)", {
    reads: ["json", "text", "raw", "all"],
    serve: (mcp, { req, res, request }, way) => mcp.handle(req, res, way.handOn ? request.body : undefined),
  }),
]
