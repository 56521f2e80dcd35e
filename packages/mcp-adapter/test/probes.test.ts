import { describe, expect, it, onTestFinished } from "vitest"
import { connectInMemory, type InMemoryOptions } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { createLine } from "./support/line.js"
import { introduce, type Message, readAnswer, serveWire } from "./support/wire.js"

const LISTS = [
  ["prompts/list", { prompts: [] }],
  ["resources/list", { resources: [] }],
  ["resources/templates/list", { resourceTemplates: [] }],
] as const

describe.each(LISTS)("%s of an unserved kind", (method, empty) => {
  it("is an empty list to a session over HTTP", async () => {
    const { open } = await serveWire({ states: "tool" })
    const { send } = await open()

    expect((await readAnswer(send({ id: 1, method }))).result).toEqual(empty)
  })

  it("is an empty list without sessions", async () => {
    const { post } = await serveWire({ states: "tool", legacy: "stateless" })

    expect((await readAnswer(post({ id: 1, method }))).result).toEqual(empty)
  })

  it("is an empty list over one pipe, and an error for a modern client, as its revision requires", async () => {
    const legacy = openLine("legacy", "tool")
    const modern = openLine("modern", "tool")

    expect((await legacy.line.ask({ id: "probe", method })).result).toEqual(empty)
    expect((await modern.line.ask({ id: "probe", method })).error).toMatchObject({ code: -32601 })
  })
})

describe("an endpoint without listen streams", () => {
  it("announces no notices to a modern client, and those that it sends to a legacy one", async () => {
    const { modern } = await serveWire({ maxListens: 0 })
    const { line } = openLine("modern", "both", { maxListens: 0 })
    const quiet = { tools: {}, resources: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }
    const legacy = createLine(connectInMemory(openAdapter(), { maxListens: 0 }), "legacy")
    const introduced = await legacy.ask({ id: 0, method: "initialize", params: introduce("2025-11-25") })

    expect((await readAnswer(modern({ method: "server/discover" }))).result?.["capabilities"]).toEqual(quiet)
    expect((await line.ask({ id: 1, method: "server/discover" })).result?.["capabilities"]).toEqual(quiet)
    expect(introduced.result?.["capabilities"]).toMatchObject({ tools: { listChanged: true } })
  })
})

describe("an unknown resource", () => {
  it.each(["resources/read", "resources/subscribe"])(
    "is -32002 to %s of a legacy client, over each leg",
    async (method) => {
      const asked: Message = { id: 7, method, params: { uri: "agentic://board/nothing" } }
      const error = { code: -32002, data: { uri: "agentic://board/nothing" } }
      const { open } = await serveWire()
      const { send } = await open()
      const { line } = openLine("legacy")

      expect((await readAnswer(send(asked))).error).toMatchObject(error)
      expect((await line.ask(asked)).error).toMatchObject(error)
    },
  )

  it("is -32002 to a legacy client without a session, and to one whose request the SDK answers", async () => {
    const params = { uri: "agentic://board/nothing", more: 1 }
    const { post } = await serveWire({ legacy: "stateless" })
    const { line } = openLine("legacy")

    expect((await readAnswer(post({ id: 7, method: "resources/read", params }))).error).toMatchObject({ code: -32002 })
    expect((await line.ask({ id: 7, method: "resources/read", params })).error).toMatchObject({ code: -32002 })
  })

  it("is -32602 to a modern client, which knows no other code", async () => {
    const { modern } = await serveWire()
    const asked = { id: 7, method: "resources/read", params: { uri: "agentic://board/nothing" } }

    expect((await readAnswer(modern(asked))).error).toMatchObject({ code: -32602 })
  })
})

/** Connects a client to a board over one pipe; a legacy one has initialized. */
function openLine(era: "legacy" | "modern", states: "tool" | "both" = "both", options: InMemoryOptions = {}) {
  const line = createLine(connectInMemory(openAdapter(), { states, ...options }), era)
  if (era === "legacy") line.send({ id: 0, method: "initialize", params: introduce("2025-11-25") })
  return { line }
}

function openAdapter() {
  const adapter = createMcpAdapter(createBoard().service)
  onTestFinished(adapter.close)
  return adapter
}
