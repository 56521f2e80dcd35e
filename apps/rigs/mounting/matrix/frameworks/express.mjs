import { once } from "node:events"
import { createNodeHandler } from "@x/mcp-adapter/http"
import compression from "compression"
import cors from "cors"
import express5 from "express"
import express4 from "express-4"
import { corsSettings, has, hasCors, PAGE } from "../layers.mjs"

/** Returns the middleware in front of the routes, as functions of a request, a response and `next`. */
export function connectLayers({ layer, way }, parsers) {
  return [
    hasCors(layer) && cors(corsSettings(layer, { exposed: "exposedHeaders", methods: "methods", way })),
    has(layer, "compression") && compression({ threshold: 0 }),
    has(layer, "json") && parsers.json(),
    has(layer, "text") && parsers.text({ type: "*/*" }),
    has(layer, "raw") && parsers.raw({ type: "*/*" }),
    has(layer, "urlencoded") && parsers.urlencoded({ extended: true }),
  ].filter(Boolean)
}

/** Closes MCP first, since the server waits for its streams. */
export async function closeBoth(mcp, server) {
  await mcp.close()
  await new Promise((resolve) => server.close(resolve))
}

const createRow = ({ version, express, everything }, mount) => ({
  name: `Express ${version}, app.${mount}(path, mcp.handle)`,
  lacks: ["own"],
  reads: [],
  async start(site) {
    const mcp = createNodeHandler(site.adapter, site.options)
    const app = express()
    for (const middleware of connectLayers(site, express)) app.use(middleware)
    for (const path of site.paths) app[mount](path, mcp.handle)
    app.get("/page", (_, response) => response.type("html").send(PAGE))
    if (has(site.layer, "catch-all")) app.get(everything, (_, response) => response.type("html").send(PAGE))
    const server = app.listen(site.port, "127.0.0.1")
    await once(server, "listening")
    return { close: () => closeBoth(mcp, server) }
  },
})

const VERSIONS = [
  { version: 4, express: express4, everything: "*" },
  { version: 5, express: express5, everything: "/{*path}" },
]

/** Express 4 and 5, with MCP at a path, and below a prefix that Express removes from the URL. */
export const onExpress = VERSIONS.flatMap((version) => ["all", "use"].map((mount) => createRow(version, mount)))
