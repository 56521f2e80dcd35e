import { serve } from "@hono/node-server"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as route from "../src/next/app/mcp/route"
import { mcp } from "../src/next/mcp"
import { itServes } from "./it-serves.js"
import { type Mounted, mount } from "./mount.js"

const methods: ReadonlyMap<string, (request: Request) => Promise<Response>> = new Map(Object.entries(route))

// Runs without Next, which is 340 MB: a route handler is a function of a request, exported under the method's name.
describe("A Next route handler", () => {
  let mounted: Mounted
  beforeAll(async () => {
    mounted = await mount((_, port) => {
      const fetch = (request: Request) => methods.get(request.method)?.(request) ?? new Response(null, { status: 405 })
      const server = serve({ fetch, port, hostname: "127.0.0.1" })
      return { server, close: () => mcp.close().then(() => server.close()) }
    })
  })
  afterAll(() => mounted.close())

  itServes(() => mounted)

  it("promises a legacy client nothing that another process would have to send", async () => {
    const client = await mounted.connect("legacy")

    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {} })
  })

  it("answers a browser that asks first", async () => {
    const headers = { origin: "http://localhost:3000", "access-control-request-method": "POST" }
    const response = await fetch(`${mounted.url}/mcp`, { method: "OPTIONS", headers })

    expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:3000")
  })
})
