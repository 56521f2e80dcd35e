import { createServer, type RequestListener, type Server } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { bundlePage, openBrowser } from "@x/browser-rig"
import express from "express"
import { Hono } from "hono"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pageMiddleware } from "../src/middleware.js"
import { connectClient } from "./vite-app.fixture.js"

let browser: Browser
let script: string
beforeAll(async () => {
  browser = await openBrowser()
  script = await bundlePage(new URL("./page.fixture.ts", import.meta.url))
})
afterAll(() => browser.close())

const HTML = '<!doctype html><title>app</title><script type="module" src="/script.js"></script>'
const BRIDGE = () => pageMiddleware({ name: "dev" })
type Bridge = ReturnType<typeof BRIDGE>

const servers: readonly (readonly [string, (bridge: Bridge) => Server])[] = [
  [
    "Express",
    (bridge) => {
      const app = express()
      app.use(bridge)
      app.get("/script.js", (_, response) => void response.type("text/javascript").send(script))
      app.get("/", (_, response) => void response.send(HTML))
      return createServer(app)
    },
  ],
  [
    "Hono",
    (bridge) => {
      const app = new Hono()
      app.get("/script.js", (context) => context.body(script, 200, { "content-type": "text/javascript" }))
      app.get("/", (context) => context.html(HTML))
      const listener = getRequestListener(app.fetch)
      return createServer((request, response) => bridge(request, response, () => void listener(request, response)))
    },
  ],
  [
    "a custom server, as Next has it",
    (bridge) => {
      // Like the function that `next({ dev }).getRequestHandler()` returns.
      const handle: RequestListener = ({ url }, response) => {
        const [type, body] = url === "/script.js" ? ["text/javascript", script] : ["text/html", HTML]
        response.writeHead(200, { "content-type": String(type) }).end(body)
      }
      return createServer((request, response) => bridge(request, response, () => handle(request, response)))
    },
  ],
]

describe.each(servers)("beside the routes of %s", (_, create) => {
  it("serves clients and accepts pages, and leaves the app its own requests", async () => {
    const bridge = BRIDGE()
    const server = create(bridge)
    bridge.attach(server)
    const url = await new Promise<string>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(`http://localhost:${Object(server.address()).port}/`))
    })
    const page = await browser.newPage()
    await page.goto(url)
    await page.waitForFunction(`globalThis.state === "connected"`)

    const { client, whenListed } = await connectClient(url, "modern")
    await whenListed((names) => names.includes("board__add"))
    const called = await client.callTool({ name: "board__add", arguments: {} })
    const metadata = await fetch(new URL(".well-known/oauth-protected-resource", url))

    expect(called.isError).toBeUndefined()
    expect(await page.title()).toBe("app")
    expect(metadata.status).toBe(404)
    await client.close()
    await page.close()
    bridge.close()
    server.closeAllConnections()
    server.close()
  })
})
