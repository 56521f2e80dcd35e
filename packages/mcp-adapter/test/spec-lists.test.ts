import { action, createAgenticService, state } from "@x/agentic-service"
import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createLine } from "./support/line.js"
import { type Message, readAnswer, serveWire } from "./support/wire.js"

const URI = "agentic://board/count"
const PLAIN = { tools: { runAction: false, listLinks: false }, states: "resources" } as const
const cacheable: readonly Message[] = [
  { method: "server/discover" },
  { method: "tools/list" },
  { method: "resources/list" },
  { method: "resources/templates/list" },
  { method: "resources/read", params: { uri: URI } },
]

describe("server/tools and server/resources, lists (2026-07-28)", () => {
  it("returns empty lists, and still announces the capabilities [list-empty, tools-declared, resources-declared]", async () => {
    const adapter = createMcpAdapter(createAgenticService({ name: "empty" }))
    const transport = connectInMemory(adapter, PLAIN)
    const line = createLine(transport, "modern")

    expect((await line.ask({ id: 1, method: "tools/list" })).result).toMatchObject({ tools: [] })
    expect((await line.ask({ id: 2, method: "resources/list" })).result).toMatchObject({ resources: [] })
    expect((await line.ask({ id: 3, method: "server/discover" })).result).toMatchObject({
      capabilities: { tools: {}, resources: {} },
    })
    await transport.close()
    adapter.close()
  })

  it("lists the same for all connections, whatever they did before [tools-shared, resources-shared]", async () => {
    const { modern, open } = await serveWire()
    const { send } = await open()
    await readAnswer(send({ id: 1, method: "tools/call", params: { name: "start" } }))

    for (const [method, key] of [
      ["tools/list", "tools"],
      ["resources/list", "resources"],
    ] as const) {
      const one = (await readAnswer(send({ id: 2, method }))).result?.[key]
      expect((await readAnswer(modern({ method }))).result?.[key]).toEqual(one)
      expect(JSON.stringify(one)).toContain(key === "tools" ? '"undo"' : URI)
    }
  })

  it("publishes the author's hints [tool-hints]", async () => {
    const hints = { readOnly: true, idempotent: true, openWorld: false }
    const look = action({ description: "Look", ...hints, execute: () => {} })
    const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { look } }))
    const transport = connectInMemory(adapter, PLAIN)

    expect((await createLine(transport, "modern").ask({ id: 1, method: "tools/list" })).result).toMatchObject({
      tools: [
        { annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false, destructiveHint: false } },
      ],
    })
    await transport.close()
    adapter.close()
  })

  it("lists in the same order on every call, even if tools come and go between [tools-order]", async () => {
    const { modern, toggle } = await serveWire()
    const list = async () => JSON.stringify((await readAnswer(modern({ method: "tools/list" }))).result?.["tools"])
    const before = await list()

    toggle()
    expect(await list()).not.toBe(before)
    toggle()

    expect(await list()).toBe(before)
  })

  it("gives each resource a name and a URI, and covers all by a template [resource-fields, resource-template]", async () => {
    const { modern } = await serveWire()

    expect((await readAnswer(modern({ method: "resources/list" }))).result).toMatchObject({
      resources: [{ uri: URI, name: "count", mimeType: "application/json" }],
    })
    expect((await readAnswer(modern({ method: "resources/templates/list" }))).result).toMatchObject({
      resourceTemplates: [{ uriTemplate: expect.stringMatching(/^agentic:\/\/board\/\{\+?[a-z*]+\}/), name: "state" }],
    })
  })
})

describe("server/utilities/caching (2026-07-28)", () => {
  it.each(cacheable)("sends cache hints with a result: $method [cache-hints]", async (request) => {
    const { modern } = await serveWire()

    const { result } = await readAnswer(modern(request))

    expect(result?.["ttlMs"]).toSatisfy((ttl: unknown) => Number.isInteger(ttl) && Number(ttl) >= 0)
    expect(result?.["cacheScope"]).toSatisfy((scope: unknown) => scope === "public" || scope === "private")
  })

  it.each(cacheable)("marks caller-specific results as private: $method [cache-private]", async (request) => {
    const { modern } = await serveWire({ principal: () => ({ id: "ann" }) }, { allow: () => true })

    expect((await readAnswer(modern(request))).result).toMatchObject({ cacheScope: "private" })
  })

  it("sends no cache hints with a call's result [cache-calls]", async () => {
    const { modern } = await serveWire()

    const { result } = await readAnswer(modern({ method: "tools/call", params: { name: "add" } }))

    expect(result).not.toHaveProperty("ttlMs")
    expect(result).not.toHaveProperty("cacheScope")
  })

  it("sends the same cache hints with all pages of a list [cache-pages]", async () => {
    const { modern } = await serveWire({ tools: { pageSize: 2 } })
    const scopes: unknown[] = []
    let cursor: unknown
    do {
      const { result } = await readAnswer(modern({ method: "tools/list", params: { ...(cursor ? { cursor } : {}) } }))
      scopes.push(result?.["cacheScope"])
      cursor = result?.["nextCursor"]
    } while (cursor !== undefined)

    expect(scopes.length).toBeGreaterThan(2)
    expect(new Set(scopes).size).toBe(1)
  })
})

describe("server/utilities/pagination (2026-07-28)", () => {
  it.each(["tools/list", "resources/list", "resources/templates/list"])(
    "refuses a cursor of %s that it did not give [cursor-invalid]",
    async (method) => {
      const { modern } = await serveWire()

      expect(await readAnswer(modern({ method, params: { cursor: "nonsense" } }))).toMatchObject({
        status: 200,
        error: { code: -32602 },
      })
    },
  )
})

describe("server/resources (2026-07-28)", () => {
  it("reads text or bytes, each with its URI and type [resource-contents, resource-blob]", async () => {
    const service = createAgenticService({
      name: "media",
      states: {
        note: state({ schema: { type: "string" }, mediaType: "text/markdown", value: of("# hi") }),
        icon: state({ schema: {}, mediaType: "image/png", value: of(new Uint8Array([1, 2, 255])) }),
      },
    })
    const adapter = createMcpAdapter(service)
    const transport = connectInMemory(adapter)
    const line = createLine(transport, "modern")
    const read = async (uri: string) => (await line.ask({ id: uri, method: "resources/read", params: { uri } })).result

    expect(await read("agentic://media/note")).toMatchObject({
      contents: [{ uri: "agentic://media/note", mimeType: "text/markdown", text: "# hi" }],
    })
    expect(await read("agentic://media/icon")).toMatchObject({
      contents: [{ uri: "agentic://media/icon", mimeType: "image/png", blob: "AQL/" }],
    })
    await transport.close()
    adapter.close()
  })

  it("reads nothing for a denied caller [resource-access, no-empty-contents]", async () => {
    const { modern } = await serveWire(
      { principal: (request) => ({ id: request.headers.get("authorization") ?? "" }) },
      { allow: (principal, { kind }) => kind !== "state" || principal?.id === "ann" },
    )
    const read = (authorization: string) =>
      readAnswer(modern({ method: "resources/read", params: { uri: URI } }, { headers: { authorization } }))

    expect((await read("ann")).result).toHaveProperty("contents")
    expect((await read("bob")).error).toMatchObject({ code: -32602, data: { uri: URI } })
  })

  it.each(["agentic://board/nothing", "file:///etc/passwd", "agentic://board/../count", "", "%"])(
    "answers an error for %j, and names it [resource-unknown, no-empty-contents, uri-checked]",
    async (uri) => {
      const { modern } = await serveWire()
      const headers = { "mcp-name": uri }

      expect(await readAnswer(modern({ method: "resources/read", params: { uri } }, { headers }))).toMatchObject({
        status: 200,
        error: { code: -32602, data: { uri } },
      })
    },
  )
})

describe("server/tools, results", () => {
  it("returns a value with an output schema as structure and text [structured-conforms, structured-text]", async () => {
    const { modern } = await serveWire()

    const { result } = await readAnswer(modern({ method: "tools/call", params: { name: "add" } }))

    const structuredContent = { result: 1, changes: { statesChanged: ["count"] } }
    expect(result).toMatchObject({
      structuredContent,
      content: [{ type: "text", text: JSON.stringify(structuredContent) }],
    })
  })

  it("returns no value that does not match the output schema [structured-conforms]", async () => {
    const wrong = action({
      description: "Break the promise",
      output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
      execute: () => ({ count: "many" }) as never, // Untyped code can do so.
    })
    const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { wrong } }))

    const transport = connectInMemory(adapter)
    const line = createLine(transport, "modern")
    const { result } = await line.ask({ id: 1, method: "tools/call", params: { name: "wrong" } })

    expect(result).toMatchObject({ isError: true })
    expect(result).not.toHaveProperty("structuredContent")
    await transport.close()
    adapter.close()
  })

  it.each([
    ["a failure of the action", { name: "refuse" }],
    ["wrong arguments", { name: "add", arguments: { more: 1 } }],
    ["an action that is not available now", { name: "undo" }],
  ])("answers %s within the result [tool-error, input-error]", async (_, params) => {
    const { modern } = await serveWire()

    expect(await readAnswer(modern({ method: "tools/call", params }))).toMatchObject({
      status: 200,
      result: { isError: true, content: [{ type: "text" }] },
    })
  })

  it.each([{ name: "nothing" }, { name: "add", arguments: [] }])(
    "answers a call of %j with a protocol error [tool-unknown, call-malformed]",
    async (params) => {
      const { modern } = await serveWire()

      expect(await readAnswer(modern({ method: "tools/call", params }))).toMatchObject({ error: { code: -32602 } })
    },
  )
})
