import { describe, expect, it, onTestFinished } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import { createLine } from "./support/line.js"
import { readAnswer, serveWire } from "./support/wire.js"

const VERSION = "io.modelcontextprotocol/protocolVersion"
const INFO = "io.modelcontextprotocol/clientInfo"
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
const optional = { title: null, icons: null, websiteUrl: null, description: null }
const capabilities = { sampling: null, experimental: null, elicitation: null, roots: { listChanged: null } }
const introduction = {
  protocolVersion: "2025-11-25",
  capabilities,
  clientInfo: { name: "n", version: "1", ...optional },
}

describe("a client that says null for what it has not", () => {
  it("is let in by `initialize`, over HTTP and over one pipe", async () => {
    const { post } = await serveWire()
    const params = { ...introduction, _meta: null }

    const answers = [
      await readAnswer(post({ id: 1, method: "initialize", params })),
      await openLine().ask({ id: 1, method: "initialize", params }),
    ]

    for (const { result } of answers) expect(result).toMatchObject({ protocolVersion: "2025-11-25" })
  })

  it("is served in the modern era", async () => {
    const { modern } = await serveWire()
    const _meta = {
      [VERSION]: "2026-07-28",
      [INFO]: { name: "n", version: "1", ...optional },
      [CAPABILITIES]: capabilities,
      progressToken: null,
      traceparent: null,
    }

    const listed = await readAnswer(modern({ method: "tools/list", params: { cursor: null, _meta } }))
    const called = await readAnswer(
      modern({ method: "tools/call", params: { name: "add", requestState: null, _meta } }),
    )
    const nameless = await readAnswer(modern({ method: "tools/list", params: { _meta: { ..._meta, [INFO]: null } } }))

    expect([listed.result, called.result, nameless.result]).toEqual([
      expect.objectContaining({ tools: expect.anything() }),
      expect.objectContaining({ content: expect.anything() }),
      expect.objectContaining({ tools: expect.anything() }),
    ])
  })

  it("may leave parameters out so, too", async () => {
    const line = openLine()
    await line.ask({ id: 0, method: "initialize", params: introduction })

    expect(
      (await line.ask({ id: 1, method: "tools/list", params: { cursor: null, _meta: null as never } })).result,
    ).toHaveProperty("tools")
  })

  it("is told in our words where it is required", async () => {
    const { error } = await openLine().ask({
      id: 1,
      method: "initialize",
      params: { ...introduction, clientInfo: null },
    })

    expect(error).toMatchObject({ code: -32602, message: '"params.clientInfo" is null: expected an object' })
  })
})

describe("what a client says of itself", () => {
  it.each([
    [
      { ...introduction, clientInfo: { name: "n", version: "1", title: 1 } },
      '"params.clientInfo.title" is 1: expected a string',
    ],
    [
      { ...introduction, clientInfo: { name: "n", version: "1", icons: "x" } },
      '"params.clientInfo.icons" is "x": expected an array',
    ],
    [
      { ...introduction, clientInfo: { name: "n", version: "1", icons: [1] } },
      '"params.clientInfo.icons.0" is 1: expected an object with "src", a string',
    ],
    [
      { ...introduction, capabilities: { sampling: true } },
      '"params.capabilities.sampling" is true: expected an object',
    ],
  ])("is refused in our words in `initialize`: %j", async (params, message) => {
    expect((await openLine().ask({ id: 1, method: "initialize", params })).error).toMatchObject({
      code: -32602,
      message,
    })
  })

  it.each([
    [{ [INFO]: { name: "n", version: "1", title: 1 } }, `"params._meta.${INFO}.title" is 1: expected a string`],
    [
      { [INFO]: { name: "n", version: "1", icons: {} } },
      `"params._meta.${INFO}.icons" is an object: expected an array`,
    ],
  ])("is refused in our words in the modern era: %j", async (said, message) => {
    const { modern } = await serveWire()
    const _meta = { [VERSION]: "2026-07-28", [CAPABILITIES]: {}, ...said }

    expect((await readAnswer(modern({ method: "tools/list", params: { _meta } }))).error).toMatchObject({ message })
  })
})

/** A legacy client of one pipe to a board. */
function openLine() {
  const adapter = createMcpAdapter(createBoard().service)
  onTestFinished(adapter.close)
  return createLine(connectInMemory(adapter), "legacy")
}
