import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { createNodeHandler } from "@x/mcp-adapter/http"
import bodyParser from "body-parser"
import { has, PAGE } from "../layers.mjs"
import { closeBoth, connectLayers } from "./express.mjs"

/** Node without a framework, with Express middleware as layers, and with the body read by hand. */
export const onNode = [
  {
    name: "Node, mcp.handle(request, response)",
    lacks: [],
    reads: ["own"],
    async start(site) {
      const mcp = createNodeHandler(site.adapter, site.options)
      const layers = connectLayers(site, bodyParser)
      const route = async (request, response) => {
        const body = site.layer === "own" ? await text(request) : undefined
        if (site.paths.includes(request.url)) return mcp.handle(request, response, site.way.handOn ? body : undefined)
        const found = request.url === "/page" || has(site.layer, "catch-all")
        response.writeHead(found ? 200 : 404, { "content-type": "text/html" }).end(PAGE)
      }
      const run = (index, request, response) =>
        index < layers.length
          ? layers[index](request, response, () => run(index + 1, request, response))
          : route(request, response)
      const server = createServer((request, response) => void run(0, request, response))
      await once(server.listen(site.port, "127.0.0.1"), "listening")
      return { close: () => closeBoth(mcp, server) }
    },
  },
]
