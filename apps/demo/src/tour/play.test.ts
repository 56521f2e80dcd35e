import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { describe, expect, it, onTestFinished } from "vitest"
import { connect } from "./connect.js"
import { play } from "./play.js"

describe("play", () => {
  it("fails if a server behaves differently", async () => {
    const add = action({ description: "Takes anything", input: { type: "object" }, execute: () => {} })
    const adapter = createMcpAdapter(createAgenticService({ name: "board", actions: { add } }))
    const { close, ...connection } = await connect(connectInMemory(adapter))
    onTestFinished(() => close().finally(adapter.close))

    const story = play({ ...connection, tell: () => {} })

    await expect(story).rejects.toThrow('"add" should have been refused: title')
  })
})
