import { once } from "node:events"
import { MessageChannel } from "node:worker_threads"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveMessagePort } from "../src/border/message-port.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"

describe("serveMessagePort", () => {
  it("refuses a message that is not a text, and names the fault", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    onTestFinished(adapter.close)
    const { port1, port2 } = new MessageChannel()
    const server = serveMessagePort(adapter, port1)

    port2.postMessage({ jsonrpc: "2.0" })
    const [answer] = await once(port2, "message")
    await server.close()
    adapter.close()

    expect(JSON.parse(answer)).toMatchObject({ error: { message: expect.stringContaining("not a text") } })
    expect(Object.values(adapter.ledger.counts()).filter((count) => count > 0)).toEqual([])
  })
})
