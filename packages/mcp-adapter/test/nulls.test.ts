import { describe, expect, it, onTestFinished } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"
import type { Era } from "./support/connect.js"
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

describe("a client that sends null for missing values", () => {
  it("is accepted by `initialize`, over HTTP and one pipe", async () => {
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

  it("may also omit parameters this way", async () => {
    const line = openLine()
    await line.ask({ id: 0, method: "initialize", params: introduction })

    expect(
      (await line.ask({ id: 1, method: "tools/list", params: { cursor: null, _meta: null as never } })).result,
    ).toHaveProperty("tools")
  })

  it.each(["legacy", "modern"] as const)("may omit arguments and a task this way, in the %s era", async (era) => {
    const line = openLine(era)
    if (era === "legacy") await line.ask({ id: 0, method: "initialize", params: introduction })
    const params = { name: "add", arguments: null, task: null }

    expect(await line.ask({ id: 1, method: "tools/call", params })).toHaveProperty("result.content")
    expect(await line.ask({ id: 2, method: "tools/call", params: { ...params, task: { ttl: null } } })).toMatchObject({
      error: { code: -32602, message: '"params.task.ttl" is null: expected a number' },
    })
  })

  it.each([5, "x", [], { ttl: "x" }])("gets our message for the task %j", async (task) => {
    const line = openLine()
    await line.ask({ id: 0, method: "initialize", params: introduction })

    const { error } = await line.ask({ id: 1, method: "tools/call", params: { name: "add", task } })
    expect(error?.message).toMatch(/^"params\.task(\.ttl)?" is .*: expected (an object|a number)$/)
  })

  it("gets our message when a value is required", async () => {
    const { error } = await openLine().ask({
      id: 1,
      method: "initialize",
      params: { ...introduction, clientInfo: null },
    })

    expect(error).toMatchObject({ code: -32602, message: '"params.clientInfo" is null: expected an object' })
  })
})

describe("a client's description of itself", () => {
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

describe("a client's description of itself", () => {
  const odd = [null, true, false, 5, "x", [], {}, { y: 5 }]
  const names = ["elicitation", "sampling", "roots", "tasks", "experimental", "extensions", "other"]
  const settings = ["form", "url", "context", "tools", "listChanged", "list", "cancel", "requests"]
  const within = ["applyDefaults", "sampling", "elicitation"]
  const saidCapabilities = names.flatMap((name) =>
    odd.flatMap((value) => [
      { [name]: value },
      ...settings.map((setting) => ({ [name]: { [setting]: value } })),
      ...within.map((part) => ({ [name]: { form: { [part]: value }, requests: { [part]: value } } })),
      { [name]: { requests: { sampling: { createMessage: value }, elicitation: { create: value } } } },
    ]),
  )
  const program = { name: "n", version: "1" }
  const saidInfo = odd.flatMap((value) => [
    ...["title", "description", "websiteUrl", "icons", "other"].map((key) => ({ ...program, [key]: value })),
    ...["src", "mimeType", "sizes", "theme", "other"].map((key) => ({
      ...program,
      icons: [{ src: "s", [key]: value }],
    })),
    { ...program, icons: [{ src: "s", sizes: [value] }] },
  ])
  const said = [
    ...saidCapabilities.map((each) => ({ capabilities: each, clientInfo: program })),
    ...saidInfo.map((each) => ({ capabilities: {}, clientInfo: each })),
  ]

  it("is taken, or refused in our words, in the legacy era", async () => {
    const refused: unknown[] = []
    for (const each of said) {
      const params = { protocolVersion: "2025-11-25", ...each }
      const { error } = await openLine().ask({ id: 1, method: "initialize", params })
      if (error !== undefined) refused.push([error.code, error.message])
    }
    expect(refused.length).toBeGreaterThan(100)
    expect(refused).toEqual(refused.map(() => [-32602, expect.stringMatching(/^"params\..*: expected /)]))
  })

  it("is taken, or refused in our words, in the modern era", async () => {
    const line = openLine("modern")
    const refused: unknown[] = []
    for (const { capabilities: declared, clientInfo } of said) {
      const _meta = { [CAPABILITIES]: declared, [INFO]: clientInfo }
      const { error } = await line.ask({ id: 1, method: "tools/list", params: { _meta } })
      if (error !== undefined) refused.push([error.code, error.message])
    }
    expect(refused.length).toBeGreaterThan(100)
    expect(refused).toEqual(refused.map(() => [-32602, expect.stringMatching(/^"params\..*: expected /)]))
  })
})

/** Connects a client to a board over one pipe. */
function openLine(era: Era = "legacy") {
  const adapter = createMcpAdapter(createBoard().service)
  onTestFinished(adapter.close)
  return createLine(connectInMemory(adapter), era)
}
