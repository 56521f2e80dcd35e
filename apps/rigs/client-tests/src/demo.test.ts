import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { clients } from "./clients.js"
import { type Demo, demo, startDemo } from "./demo.js"
import { firstTools } from "./first.js"

describe("the demo", () => {
  let running: Demo
  beforeAll(async () => {
    running = await startDemo()
  })
  afterAll(async () => {
    expect(await running.close()).toBe(0)
  })

  const legs = clients.flatMap((client) => [
    { ...client, leg: "stdio", server: () => demo },
    { ...client, leg: "HTTP", server: () => running },
  ])

  it.each(legs)("gives $client over $leg what an open card can do, while it is open", async ({ connect, server }) => {
    const peer = await connect(server())
    onTestFinished(peer.close)
    expect((await peer.tools()).map(({ name }) => name)).toContain("open_card")

    const opened = firstTools(peer, (names) => names.includes("open__comment"))
    await peer.call("open_card", { id: "c2" })
    await opened
    await peer.call("open__comment", { text: "Three minutes would do" })
    expect(await peer.read("agentic://board/open/card")).toContain("Three minutes would do")

    const closed = firstTools(peer, (names) => !names.includes("open__comment"))
    await peer.call("open__close")
    expect(await closed).toContain("undo")
    expect(await peer.call("open__comment", { text: "Too late" })).toMatchObject({ isError: true })
  })
})
