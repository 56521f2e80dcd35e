import { describe, expect, it } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { createLine } from "./support/line.js"
import { type Message, readMessages, serveWire } from "./support/wire.js"

const URI = "agentic://board/count"
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
const tagged = (id: string | number) => ({ _meta: { [SUBSCRIPTION]: id } })

describe("basic/patterns/subscriptions over HTTP (2026-07-28)", () => {
  it.each([4, "four"])(
    "acknowledges first, and tags all it sends with the id %j [listen-ack, listen-tag]",
    async (id) => {
      const { modern, toggle, count } = await serveWire({}, { notices: { windowMs: 0 } })
      const heard = readMessages(await modern(listen(id, { toolsListChanged: true, resourceSubscriptions: [URI] })))

      const acknowledged = (await heard.next()).value
      toggle()
      const changed = (await heard.next()).value
      count()
      const updated = (await heard.next()).value

      expect(acknowledged).toMatchObject({ method: "notifications/subscriptions/acknowledged", params: tagged(id) })
      expect(changed).toMatchObject({ method: "notifications/tools/list_changed", params: tagged(id) })
      expect(updated).toMatchObject({ method: "notifications/resources/updated", params: { uri: URI, ...tagged(id) } })
    },
  )

  it("acknowledges only the notifications that it will send [listen-subset]", async () => {
    const { modern } = await serveWire()
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: false }

    const { value } = await readMessages(await modern(listen(1, notifications))).next()

    expect(value?.params?.["notifications"]).toEqual({ toolsListChanged: true })
  })

  it("sends only requested notifications [listen-asked-only]", async () => {
    const { modern, toggle, count } = await serveWire({}, { notices: { windowMs: 0 } })
    const heard = readMessages(await modern(listen(1, { toolsListChanged: true })))
    await heard.next()

    count()
    toggle()

    expect((await heard.next()).value).toMatchObject({ method: "notifications/tools/list_changed" })
  })

  it("keeps several subscriptions of a client apart [listen-several]", async () => {
    const { modern, toggle, count } = await serveWire({}, { notices: { windowMs: 0 } })
    const tools = readMessages(await modern(listen(1, { toolsListChanged: true })))
    const states = readMessages(await modern(listen(2, { resourceSubscriptions: [URI] })))
    await Promise.all([tools.next(), states.next()])

    count()
    toggle()

    expect((await tools.next()).value).toMatchObject({ method: "notifications/tools/list_changed", params: tagged(1) })
    expect((await states.next()).value).toMatchObject({ params: { uri: URI, ...tagged(2) } })
  })

  it("carries no progress [listen-no-progress]", async () => {
    const { modern, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const heard = readMessages(await modern(listen(1, { toolsListChanged: true })))
    await heard.next()
    const params = { name: "work", _meta: { progressToken: "w" } }
    const working = readMessages(await modern({ id: 2, method: "tools/call", params }))
    await working.next()

    toggle()

    expect((await heard.next()).value).toMatchObject({ method: "notifications/tools/list_changed" })
    await working.return(undefined)
  })

  it("ends with a result when the server does [listen-graceful]", async () => {
    const { modern, adapter } = await serveWire()
    const heard = readMessages(await modern(listen("l", { toolsListChanged: true })))
    await heard.next()

    adapter.close()

    expect((await heard.next()).value).toMatchObject({ id: "l", result: { resultType: "complete", ...tagged("l") } })
    expect((await heard.next()).done).toBe(true)
  })
})

describe("basic/patterns/subscriptions over one pipe (2026-07-28)", () => {
  it("pushes nothing to a client that does not listen [no-push]", async () => {
    const { line, board, close } = connect()
    await line.ask({ id: 1, method: "tools/list" })

    board.toggle()
    board.count()
    await line.ask({ id: 2, method: "tools/call", params: { name: "add" } })

    expect(line.heard()).toEqual([])
    await close()
  })

  it("acknowledges first, tags, and ends when the client cancels [listen-ack, listen-tag, listen-cancel]", async () => {
    const { line, board, close } = connect()
    line.send(listen("l", { toolsListChanged: true }))
    await line.hears("notifications/subscriptions/acknowledged")
    board.toggle()
    const changed = await line.hears("notifications/tools/list_changed")

    line.send({ method: "notifications/cancelled", params: { requestId: "l" } })
    await line.ask({ id: 1, method: "tools/list" })
    board.toggle()
    await line.ask({ id: 2, method: "tools/call", params: { name: "add" } })

    expect(changed.params).toMatchObject(tagged("l"))
    expect(line.heard()).toEqual(["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"])
    await close()
  })
})

function listen(id: string | number, notifications: object): Message {
  return { id, method: "subscriptions/listen", params: { notifications } }
}

function connect() {
  const board = createBoard()
  const adapter = createMcpAdapter(board.service, { notices: { windowMs: 0 } })
  const transport = connectInMemory(adapter)
  const close = async () => {
    await transport.close()
    adapter.close()
  }
  return { board, line: createLine(transport, "modern"), close }
}
