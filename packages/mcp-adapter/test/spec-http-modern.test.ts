import { describe, expect, it } from "vitest"
import { createWire, envelope, introduce, readAnswer, readMessages, serveWire } from "./support/wire.js"

const URI = "agentic://board/count"

describe("basic/index over HTTP (2026-07-28)", () => {
  it.each([7, "seven", 0])("answers with the id %j of the request [response-id]", async (id) => {
    const { modern } = await serveWire()

    expect(await readAnswer(modern({ id, method: "tools/list" }))).toMatchObject({ id, result: {} })
    expect(await readAnswer(modern({ id, method: "nothing" }))).toMatchObject({ id, error: {} })
  })

  it.each([
    { method: "server/discover" },
    { method: "tools/list" },
    { method: "tools/call", params: { name: "add" } },
    { method: "tools/call", params: { name: "refuse" } },
    { method: "resources/list" },
    { method: "resources/templates/list" },
    { method: "resources/read", params: { uri: URI } },
  ])("says of each result what kind it is, and whose: $method [result-type, server-info]", async (request) => {
    const { modern } = await serveWire()

    expect(await readAnswer(modern(request))).toMatchObject({
      status: 200,
      result: {
        resultType: "complete",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "board", version: "0.0.0" } },
      },
    })
  })

  it.each(Object.keys(envelope))("refuses a request without %s [meta-required]", async (key) => {
    const { post } = await serveWire()
    const _meta = { ...envelope, [key]: undefined }
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }

    expect(await readAnswer(post({ id: 1, method: "tools/list", params: { _meta } }, { headers }))).toMatchObject({
      id: 1,
      status: 400,
      error: { code: -32602 },
    })
  })

  it("gives errors an integer code and a message [error-shape]", async () => {
    const { modern } = await serveWire()

    const { error } = await readAnswer(modern({ method: "tools/call", params: { name: "nothing" } }))

    expect(Number.isInteger(error?.code)).toBe(true)
    expect(error?.message).not.toBe("")
  })
})

describe("server/discover (2026-07-28)", () => {
  it("returns versions, capabilities and instructions [discover, discover-result, tools-declared, resources-declared]", async () => {
    const { modern } = await serveWire({}, { instructions: "Look first." })

    expect(await readAnswer(modern({ method: "server/discover" }))).toMatchObject({
      result: {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } },
        instructions: "Look first.",
        ttlMs: 0,
        cacheScope: "private",
      },
    })
  })

  it("need not come first [discover-optional]", async () => {
    const { modern } = await serveWire()

    expect((await readAnswer(modern({ method: "tools/call", params: { name: "add" } }))).result).toMatchObject({
      structuredContent: { result: 1 },
    })
  })
})

describe("basic/transports/streamable-http (2026-07-28)", () => {
  it.each([
    "nothing",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
  ])("answers 404 to %s [method-404, undeclared-method, removed-method]", async (method) => {
    const { modern } = await serveWire()

    expect(await readAnswer(modern({ method, params: introduce("2026-07-28") }))).toMatchObject({
      id: 1,
      status: 404,
      error: { code: -32601 },
    })
  })

  it("has no resource methods when states are shown as a tool [undeclared-method]", async () => {
    const { modern } = await serveWire({ states: "tool" })

    for (const method of ["resources/list", "resources/templates/list", "resources/read"]) {
      expect(await readAnswer(modern({ method, params: { uri: URI } }))).toMatchObject({
        status: 404,
        error: { code: -32601 },
      })
    }
  })

  const call = { method: "tools/call", params: { name: "add" } }
  const read = { method: "resources/read", params: { uri: URI } }
  it.each<[string, { method: string; params: object }, Record<string, string | undefined>]>([
    ["another version", call, { "mcp-protocol-version": "2025-11-25" }],
    ["no version", call, { "mcp-protocol-version": undefined }],
    ["another method", call, { "mcp-method": "tools/list" }],
    ["the method in other letters", call, { "mcp-method": "Tools/Call" }],
    ["no method", call, { "mcp-method": undefined }],
    ["another tool", call, { "mcp-name": "start" }],
    ["the tool in other letters", call, { "mcp-name": "ADD" }],
    ["no tool", call, { "mcp-name": undefined }],
    ["another tool in base64", call, { "mcp-name": `=?base64?${btoa("start")}?=` }],
    ["no base64", call, { "mcp-name": "=?base64?!?=" }],
    ["another URI", read, { "mcp-name": "agentic://board/other" }],
    ["no URI", read, { "mcp-name": undefined }],
  ])(
    "refuses a request whose headers name %s [version-header, method-header, name-header, header-case, header-base64]",
    async (_, request, headers) => {
      const { modern } = await serveWire()

      expect(await readAnswer(modern({ ...request, params: { ...request.params } }, { headers }))).toMatchObject({
        id: 1,
        status: 400,
        error: { code: -32020 },
      })
    },
  )

  it("reads a name in base64 [header-base64]", async () => {
    const { modern } = await serveWire()
    const headers = { "mcp-name": `=?base64?${btoa("add")}?=` }

    expect((await readAnswer(modern(call, { headers }))).status).toBe(200)
  })

  it("ignores the case of header names [header-case]", async () => {
    const { modern } = await serveWire()
    const headers = { "mcp-method": undefined, "MCP-METHOD": "tools/call" }

    expect((await readAnswer(modern(call, { headers }))).status).toBe(200)
  })

  it("accepts a notification, and answers nothing [notification-202]", async () => {
    const { post } = await serveWire()
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "notifications/roots/list_changed" }

    const response = await post(
      { method: "notifications/roots/list_changed", params: { _meta: envelope } },
      { headers },
    )

    expect(response.status).toBe(202)
    expect(await response.text()).toBe("")
  })

  it("answers in JSON or as an event stream that proxies must not buffer [answer-type, accel-buffering]", async () => {
    const { modern } = await serveWire()
    const params = { name: "work", _meta: { progressToken: "w" } }

    const streamed = await modern({ method: "tools/call", params })
    const whole = await modern({ id: 2, method: "tools/call", params: { name: "finish" } })

    expect(whole.headers.get("content-type")).toBe("application/json")
    expect(streamed.headers.get("content-type")).toMatch(/^text\/event-stream/)
    expect(streamed.headers.get("x-accel-buffering")).toBe("no")
    await streamed.text()
  })

  it("streams only the request's messages, then its answer, then ends [stream-own, no-push, progress-token]", async () => {
    const { modern, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const params = { name: "work", _meta: { progressToken: "w" } }
    const streamed = readMessages(await modern({ id: "work", method: "tools/call", params }))
    const told = [(await streamed.next()).value]

    toggle()
    await readAnswer(modern({ method: "tools/call", params: { name: "finish" } }))
    for await (const message of streamed) told.push(message)

    expect(told).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "w", progress: 1 } },
      { method: "notifications/progress", params: { progressToken: "w", progress: 2 } },
      { id: "work", result: { resultType: "complete" } },
    ])
  })

  it("treats a closed stream as a cancellation [close-cancels]", async () => {
    const { modern } = await serveWire()
    const leaving = new AbortController()
    const params = { name: "wait", _meta: { progressToken: "w" } }
    await readMessages(await modern({ method: "tools/call", params }, { signal: leaving.signal })).next()

    leaving.abort()

    expect((await readAnswer(modern({ method: "tools/call", params: { name: "join" } }))).result).not.toHaveProperty(
      "isError",
    )
  })

  it("ignores sessions and resumption with `legacy: reject` [modern-only-stateless]", async () => {
    const { modern } = await serveWire({ legacy: "reject" })
    const response = await modern(call, { headers: { "mcp-session-id": "gone", "last-event-id": "7" } })

    expect(response.status).toBe(200)
    expect(response.headers.has("mcp-session-id")).toBe(false)
  })

  it("listens on this machine only [loopback]", async () => {
    const { url } = await serveWire()
    // Another address of this machine, where a server on all interfaces would answer.
    const elsewhere = url.replace("127.0.0.1", "127.0.0.2")

    expect(new URL(url).hostname).toBe("127.0.0.1")
    await expect(fetch(elsewhere)).rejects.toThrow()
  })

  it("serves both eras at one URL, at the same time [both-eras]", async () => {
    const { url } = await serveWire()
    const { modern, open } = createWire(url)
    const { send } = await open()

    const [older, newer] = await Promise.all([
      readAnswer(send({ id: 1, method: "tools/list" })),
      readAnswer(modern({ method: "tools/list" })),
    ])

    expect(older.result?.["tools"]).toEqual(newer.result?.["tools"])
  })
})
