import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { acceptPages } from "../src/node.js"
import { createBoard, endLater } from "./accept.fixture.js"
import { listenOnLoopback, openRawPage } from "./raw-page.fixture.js"

/** A server with sockets of its own, which ends every upgrade that is not for their path. */
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

describe.each(["before", "after"] as const)("a server that got sockets of its own %s", (when) => {
  it("keeps them, and takes pages in beside", async () => {
    const { port, pages, openChat } = await start(when)

    const page = await openRawPage(createBoard().service, { port, token: pages.token })
    endLater(() => page.socket.terminate())

    expect(page.came).toBe("welcome")
    expect(await openChat()).toBe("hello")
    expect(page.socket.readyState).toBe(WebSocket.OPEN)
  })

  it("has them back as they were when pages are accepted no more", async () => {
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

describe("two that accept pages on one server", () => {
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
