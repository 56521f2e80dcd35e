import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { networkInterfaces } from "node:os"
import { describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { toClientCode } from "../src/dev/hot-channel.js"
import { pageMiddleware } from "../src/middleware.js"
import type { PageBridgeOptions } from "../src/vite.js"
import { endLater } from "./accept.fixture.js"
import { copyApp, startVite, toConfig } from "./vite-app.fixture.js"

/** An address of this machine that other machines can reach. */
const [outer] = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ internal, family }) => !internal && family === "IPv4")

/** The headers and addresses of a page, in any transport. */
interface Claims {
  readonly address?: string
  readonly host?: string
  readonly origin?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it knows the token that Vite gives to pages. */
  readonly knows?: boolean
}

const page = JSON.stringify({ t: "page", app: "board", tab: "a", load: "b", title: "", focused: true })

describe("the hot channel of Vite", () => {
  /** Starts `npm run dev -- --host`. Returns a function that introduces a page and resolves with the host's answer. */
  async function start(options: PageBridgeOptions = {}) {
    const app = copyApp()
    const config = toConfig(app.root, options)
    const { server, url } = await startVite({ ...config, server: { port: 0, host: "0.0.0.0", allowedHosts: true } })
    endLater(async () => {
      await server.close()
      app.remove()
    })
    const { port } = new URL(url)
    const client = await (await fetch(new URL("@vite/client", url))).text()
    const [, bridgeToken = ""] = /\}\)\("([\w-]{43})"\)/.exec(client) ?? []
    const [, viteToken = ""] = /wsToken = "([\w-]+)"/.exec(client) ?? []
    return async ({
      address = "127.0.0.1",
      host = `localhost:${port}`,
      knows = true,
      headers,
      ...claims
    }: Claims = {}) => {
      const origin = "origin" in claims ? claims.origin : `http://localhost:${port}`
      const socket = new WebSocket(`ws://${address}:${port}/?token=${viteToken}`, ["vite-hmr"], {
        headers: { host, ...headers, ...(origin !== undefined && { origin }) },
      })
      endLater(() => socket.terminate())
      await once(socket, "open")
      const data = { c: 1, f: `!${page}`, ...(knows && { k: bridgeToken }) }
      socket.send(JSON.stringify({ type: "custom", event: "@x/page-bridge", data }))
      for (;;) {
        const [said] = await once(socket, "message")
        const { event, data: told } = JSON.parse(String(said))
        if (event === "@x/page-bridge" && "f" in told) return JSON.parse(String(told.f).slice(1))
      }
    }
  }

  it("admits a page on this machine that has the token", async () => {
    const enter = await start()

    expect(await enter()).toMatchObject({ t: "welcome" })
  })

  it.each([
    ["has no token", { knows: false }, "token"],
    ["has no Origin", { origin: undefined }, "Origin"],
    ["is of another origin", { origin: "https://evil.example" }, "https://evil.example"],
    ["names another host", { host: "evil.example" }, "evil.example"],
    ["came through a proxy for another client", { headers: { "x-forwarded-for": "203.0.113.9" } }, "this machine"],
  ] satisfies readonly (readonly [string, Claims, string])[])(
    "rejects one that %s, and says so",
    async (_, claims, why) => {
      const enter = await start()

      expect(await enter(claims)).toMatchObject({
        t: "refused",
        code: "unauthorized",
        reason: expect.stringContaining(why),
      })
    },
  )

  it.runIf(outer)("rejects one from the network, whatever it claims", async () => {
    const enter = await start()

    expect(await enter({ address: outer?.address ?? "" })).toMatchObject({
      t: "refused",
      reason: expect.stringContaining("not on this machine"),
    })
  })

  it.runIf(outer)("admits one from the network through an allowed host", async () => {
    const enter = await start({ allowedHosts: [outer?.address ?? ""] })
    const address = outer?.address ?? ""

    expect(await enter({ address, host: address, origin: `http://${address}` })).toMatchObject({ t: "welcome" })
  })
})

describe("the code added to Vite's client", () => {
  it("sends the token with the first frame of each line, and with no other", () => {
    const sent: unknown[] = []
    const createHotContext = () => ({ on() {}, send: (_event: string, data: unknown) => void sent.push(data) })
    // Vite appends this code to its own module.
    new Function("createHotContext", toClientCode("the token"))(createHotContext)
    const open: () => { send(frame: string): void; close(): void } = Reflect.get(
      globalThis,
      Symbol.for("@x/page-bridge/open"),
    )

    const [first, second] = [open(), open()]
    for (const line of [first, first, second]) line.send("frame")
    first.close()

    expect(sent).toEqual([
      { c: 1, f: "frame", k: "the token" },
      { c: 1, f: "frame" },
      { c: 2, f: "frame", k: "the token" },
      { c: 1, end: "" },
    ])
  })
})

describe("pageMiddleware", () => {
  /** Starts a server. Returns a function that opens a page and resolves with the answer. */
  async function start(options: Parameters<typeof pageMiddleware>[0] = {}) {
    const bridge = pageMiddleware(options)
    const server = createServer((request, response) => bridge(request, response))
    bridge.attach(server)
    server.listen(0, "0.0.0.0")
    await once(server, "listening")
    endLater(() => {
      bridge.close()
      server.closeAllConnections()
      server.close()
    })
    // A server that listens on a port has an address.
    const { port } = server.address() as AddressInfo
    return async ({ address = "127.0.0.1", host = `localhost:${port}`, headers = {}, ...claims }: Claims = {}) => {
      const origin = "origin" in claims ? claims.origin : `http://${host}`
      const socket = connect(port, address).setEncoding("latin1")
      endLater(() => socket.destroy())
      const all = { ...headers, ...(origin !== undefined && { Origin: origin }) }
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(
        `GET /mcp/pages HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: agentic-page.1\r\n${lines.join("")}\r\n`,
      )
      let said = ""
      for await (const part of socket) {
        said += part
        if (said.includes("unauthorized") || /^HTTP\/1\.1 (?!101)/.test(said)) return "refused"
        // An admitted page gets no frame before it introduces itself, so the response head comes alone.
        if (said.endsWith("\r\n\r\n"))
          return new Promise((resolve) => {
            socket.once("data", () => resolve("refused"))
            setImmediate(() => setImmediate(() => resolve("let in")))
          })
      }
      return "refused"
    }
  }

  it("admits a page of this machine and this server", async () => {
    expect(await (await start())()).toBe("let in")
  })

  it.each([
    ["has no Origin", { origin: undefined }],
    ["is of another origin", { origin: "https://evil.example" }],
    ["names another host", { host: "evil.example" }],
    ["came through a proxy for another client", { headers: { "X-Forwarded-For": "203.0.113.9" } }],
    ["came through a proxy that names no client", { headers: { Via: "1.1 proxy" } }],
  ] satisfies readonly (readonly [string, Claims])[])("rejects one that %s", async (_, claims) => {
    expect(await (await start())(claims)).toBe("refused")
  })

  it.runIf(outer)("rejects one from the network, whatever it claims", async () => {
    expect(await (await start())({ address: outer?.address ?? "" })).toBe("refused")
  })

  it.runIf(outer)("admits one from the network through a named host", async () => {
    const address = outer?.address ?? ""
    const enter = await start({ allowedHosts: [address] })

    expect(await enter({ address, host: address })).toBe("let in")
  })
})
