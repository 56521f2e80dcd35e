import compress from "@fastify/compress"
import cors from "@fastify/cors"
import { createNodeHandler } from "@x/mcp-adapter/http"
import fastify from "fastify"
import { corsSettings, has, hasCors, PAGE } from "../layers.mjs"

async function addLayers(app, { layer, way }) {
  const settings = corsSettings(layer, { exposed: "exposedHeaders", methods: "methods", way })
  if (hasCors(layer)) await app.register(cors, settings)
  if (has(layer, "compression")) await app.register(compress, { threshold: 0 })
  if (layer !== "text" && layer !== "raw") return
  app.removeAllContentTypeParsers()
  const parseAs = layer === "raw" ? "buffer" : "string"
  app.addContentTypeParser("*", { parseAs }, (_request, body, done) => done(null, body))
}

const createRow = (name, { reads, toRoute }) => ({
  name: `Fastify, ${name}`,
  // Fastify always parses JSON with its own parser.
  lacks: ["json", "urlencoded"],
  reads,
  // Its CORS plugin allows only GET, HEAD and POST by default.
  changes: { CORS: ["methods"], "CORS, named": ["methods"], all: ["methods"] },
  async start({ layer, adapter, options, paths, port, way }) {
    const mcp = createNodeHandler(adapter, options)
    const app = fastify()
    await addLayers(app, { layer, way })
    for (const path of paths) app.all(path, toRoute(mcp, way))
    app.get("/page", (_, reply) => reply.type("text/html").send(PAGE))
    if (has(layer, "catch-all")) app.setNotFoundHandler((_, reply) => reply.type("text/html").send(PAGE))
    app.addHook("preClose", () => mcp.close())
    await app.listen({ port, host: "127.0.0.1" })
    return { close: () => app.close() }
  },
})

/** Fastify, with MCP mounted directly, and with MCP called from a handler. */
export const onFastify = [
  createRow("app.all(path, mcp.handle)", { reads: [], toRoute: (mcp) => mcp.handle }),
  createRow("mcp.handle(request.raw, reply.raw)", {
    reads: ["nothing", "text", "raw", "own", "compression", "CORS", "CORS, named", "catch-all", "all"],
    toRoute: (mcp, way) => (request, reply) =>
      mcp.handle(request.raw, reply.raw, way.handOn ? request.body : undefined),
  }),
]
