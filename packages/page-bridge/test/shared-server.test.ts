import { once } from "node:events"
import { connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { describe, expect, it, vi } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { acceptPages } from "../src/node.js"
import { createBoard, endLater } from "./accept.fixture.js"
import { listenOnLoopback, openRawPage } from "./raw-page.fixture.js"

/** Starts a server with its own WebSockets, which closes every upgrade outside their path. */
async function start(when: "before" | "after") {
  const { server, port } = await listenOnLoopback()
  const addChat = () =>
    new WebSocketServer({ server, path: "/chat" }).on("connection", (socket) => socket.send("hello"))
  if (when === "before") addChat()
  const pages = acceptPages(server)
  if (when === "after") addChat()
  endLater(() => {
    pages.close()
    server.closeAllConnections()
    server.close()
  })
  const openChat = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`)
    endLater(() => socket.terminate())
    const [said] = await once(socket, "message")
    return String(said)
  }
  return { server, port, pages, openChat }
}

describe.each(["before", "after"] as const)("a server that got its own WebSockets %s", (when) => {
  it("keeps them, and accepts pages beside them", async () => {
    const { port, pages, openChat } = await start(when)

    const page = await openRawPage(createBoard().service, { port, token: pages.token })
    endLater(() => page.socket.terminate())

    expect(page.came).toBe("welcome")
    expect(await openChat()).toBe("hello")
    expect(page.socket.readyState).toBe(WebSocket.OPEN)
  })

  it("gets them back unchanged once pages are no longer accepted", async () => {
    const { server, pages, openChat, port } = await start(when)
    const before = server.listenerCount("upgrade")

    pages.close()
    pages.close()

    expect(server.listenerCount("upgrade")).toBe(before - 1)
    expect(Object.hasOwn(server, "emit")).toBe(false)
    expect(await openChat()).toBe("hello")
    expect((await openRawPage(undefined, { port, token: "any" })).came).toBe("400")
  })
})

describe("two calls of acceptPages on one server", () => {
  it.each([
    ["first", 0],
    ["last", 1],
  ])("do not take each other's, also when the %s one ends", async (_, ending) => {
    const { server, port } = await listenOnLoopback()
    const both = [acceptPages(server), acceptPages(server, { path: "/others" })]
    endLater(() => {
      for (const pages of both) pages.close()
      server.closeAllConnections()
      server.close()
    })
    both[ending]?.close()
    const stays = both[1 - ending]

    const path = ending === 0 ? "/others" : "/mcp/pages"
    const page = await openRawPage(createBoard().service, { port, path, token: stays?.token })
    endLater(() => page.socket.terminate())

    expect(page.came).toBe("welcome")
    stays?.close()
    expect(server.listenerCount("upgrade")).toBe(0)
  })
})

describe("an unclaimed upgrade", () => {
  const ask = (port: number): Socket => {
    const socket = connect(port, "127.0.0.1")
    endLater(() => socket.destroy())
    socket.write(`GET /other HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    return socket
  }

  it.each([1, 2])("is rejected at once, and closed, if %d accept pages and nobody else listens", async (count) => {
    const { server, port } = await listenOnLoopback()
    const all = Array.from({ length: count }, (_, index) => acceptPages(server, { path: `/pages/${index}` }))
    endLater(() => {
      for (const pages of all) pages.close()
      server.close()
    })

    const [said] = await once(ask(port).setEncoding("utf8"), "data")

    expect(String(said)).toMatch(/^HTTP\/1\.1 404 /)
    expect(String(said).match(/HTTP/g)).toHaveLength(1)
  })

  it("is left to other listeners for some seconds, and closed if none has answered", async () => {
    const { server, port } = await listenOnLoopback()
    const pages = acceptPages(server)
    const left: Duplex[] = []
    server.on("upgrade", (_request, socket: Duplex) => void left.push(socket))
    endLater(() => {
      pages.close()
      server.close()
    })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    endLater(() => void vi.useRealTimers())
    const taken = once(ask(port).setEncoding("utf8"), "data")
    await once(server, "upgrade")
    const refused = once(ask(port).setEncoding("utf8"), "data")
    await once(server, "upgrade")

    left[0]?.write("HTTP/1.1 101 Switching Protocols\r\n\r\n")
    await taken
    await vi.advanceTimersByTimeAsync(10_000)

    expect(String((await refused)[0])).toMatch(/^HTTP\/1\.1 404 /)
    expect(left.map((socket) => socket.writableEnded)).toEqual([false, true])
  })
})
