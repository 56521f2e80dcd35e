import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { expect, it, onTestFinished } from "vitest"
import { followEvents } from "./follow-events.js"

it("tells what a page says without what would control a terminal", async () => {
  const shout = action({
    description: "Shouts",
    output: { type: "string" },
    execute: () => "\u001b]0;owned\u0007\u001b[2J\u202eloud",
  })
  const adapter = createMcpAdapter(createAgenticService({ name: "page", actions: { shout } }))
  onTestFinished(adapter.close)
  const told: string[] = []
  followEvents(adapter, (line) => told.push(line))

  await adapter.call("shout")

  const line = told.find((each) => each.includes("shout answered")) ?? ""
  expect(line).toContain("loud")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  expect(line).not.toMatch(/[\u0007\u202e]|\u001b[^[]|\u001b\[2J/)
})
