import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, content, createAgenticService } from "@x/agentic-service"
import type { ProfileName } from "@x/tool-schemas"
import { describe, expect, it, onTestFinished } from "vitest"
import { z } from "zod"
import { serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import type { EndpointOptions } from "../src/endpoint-options.js"
import { createLine } from "./support/line.js"
import { createWire, readAnswer } from "./support/wire.js"

const where = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    level: { type: "integer", "x-mcp-header": "X-Level" },
    dry: { type: "boolean", "x-mcp-header": "dry" },
    deep: { type: "object", properties: { tenant: { type: "string", "x-mcp-header": "Tenant" } } },
    other: { type: "string" },
  },
} as const
const say = (text: string) => content(undefined, [{ type: "text", text }])
const echo = action({
  description: "Echo",
  input: where,
  execute: (input) => say(JSON.stringify(input)),
})
const plain = action({ description: "Plain", input: z.object({ region: z.string() }), execute: () => say("plain") })
const annotated = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) })
const zod = action({ description: "By zod", input: annotated, execute: ({ region }) => say(region) })

/** Serves actions with arguments repeated in headers. */
async function serve(options: EndpointOptions = {}, profile: ProfileName = "portable") {
  const service = createAgenticService({ name: "headers", actions: { echo, plain, zod } })
  const adapter = createMcpAdapter(service, { publish: { profile } })
  const started: string[] = []
  adapter.events.subscribe((event) => event.type === "call-started" && started.push(event.name))
  const server = await serveHttp(adapter, { port: 0, ...options })
  onTestFinished(() => server.close().finally(adapter.close))
  const wire = createWire(server.url)
  const call = (args: object, headers: Readonly<Record<string, string>> = {}, more: object = {}) =>
    readAnswer(wire.modern({ method: "tools/call", params: { name: "echo", arguments: args, ...more } }, { headers }))
  return { adapter, url: server.url, wire, call, started }
}

/** Makes the SDK's server answer instead of the lane. */
const LONG_WAY = { task: { ttl: 1 } }
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`

describe("arguments that headers repeat, over HTTP (2026-07-28)", () => {
  it.each([
    [{ region: "eu" }, { "mcp-param-region": "eu" }],
    [{ region: "eu" }, { "MCP-PARAM-REGION": "  eu " }],
    [{ region: "Zürich ✓" }, { "mcp-param-region": base64("Zürich ✓") }],
    [{ region: "eu" }, { "mcp-param-region": base64("eu") }],
    [{ region: "" }, { "mcp-param-region": "" }],
    [{ region: "=?base64?eu" }, { "mcp-param-region": "=?base64?eu" }],
    [{ region: "=?BASE64?ZXU=?=" }, { "mcp-param-region": "=?BASE64?ZXU=?=" }],
    [{ level: 42 }, { "mcp-param-x-level": "42.0" }],
    [{ level: -7 }, { "mcp-param-x-level": "-7" }],
    [{ dry: false }, { "mcp-param-dry": "false" }],
    [{ deep: { tenant: "a" } }, { "mcp-param-tenant": "a" }],
    [
      { region: "a b", level: 1 },
      { "mcp-param-region": "a b", "mcp-param-x-level": "1" },
    ],
    [{ other: "x" }, { "mcp-param-other": "y", "mcp-param-unknown": "z" }],
  ])("are taken where they agree: %j beside %j [param-header, param-header-number]", async (args, headers) => {
    const { call } = await serve()

    expect(await call(args, headers)).toMatchObject({
      status: 200,
      result: { content: [{ text: JSON.stringify(args) }] },
    })
    expect(await call(args, headers, LONG_WAY)).toMatchObject({ status: 200, result: { resultType: "complete" } })
  })

  it.each([
    [{ region: null }, {}],
    [{}, {}],
    [{ deep: {} }, {}],
    [{}, { "mcp-param-region": "eu" }],
  ])("are not expected of %j beside %j [param-header-null]", async (args, headers) => {
    const { call } = await serve()

    expect(await call(args, headers)).toMatchObject({ status: 200, result: { resultType: "complete" } })
  })

  it.each([
    [{ region: "eu" }, {}, 'the header "Mcp-Param-Region" is missing: expected it to repeat "arguments.region"'],
    [{ region: "" }, {}, 'the header "Mcp-Param-Region" is missing: expected it to repeat "arguments.region"'],
    [
      { region: "eu" },
      { "mcp-param-region": "us" },
      'the header "Mcp-Param-Region" is "us" and "arguments.region" is "eu"',
    ],
    [
      { region: "eu" },
      { "mcp-param-region": "EU" },
      'the header "Mcp-Param-Region" is "EU" and "arguments.region" is "eu"',
    ],
    [{ level: 1 }, { "mcp-param-x-level": "2" }, 'the header "Mcp-Param-X-Level" is "2" and "arguments.level" is 1'],
    [
      { level: 1 },
      { "mcp-param-x-level": "1e0" },
      'the header "Mcp-Param-X-Level" is "1e0" and "arguments.level" is 1',
    ],
    [{ dry: true }, { "mcp-param-dry": "True" }, 'the header "Mcp-Param-dry" is "True" and "arguments.dry" is true'],
    [
      { deep: { tenant: "a" } },
      {},
      'the header "Mcp-Param-Tenant" is missing: expected it to repeat "arguments.deep.tenant"',
    ],
    [
      { region: "eu", level: 1 },
      { "mcp-param-region": "eu" },
      'the header "Mcp-Param-X-Level" is missing: expected it to repeat "arguments.level"',
    ],
    [{ level: 2 ** 60 }, {}, 'the header "Mcp-Param-X-Level" is missing: expected it to repeat "arguments.level"'],
  ])(
    "are refused before anything runs where they do not: %j beside %j [param-header, param-header-missing]",
    async (args, headers, message) => {
      const { call, started } = await serve()

      const short = await call(args, headers)
      expect(short).toEqual({ jsonrpc: "2.0", id: 1, status: 400, error: { code: -32020, message } })
      expect(await call(args, headers, LONG_WAY)).toEqual(short)
      expect(started).toEqual([])
    },
  )

  it.each(["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?=", "Zürich", "\u00a0eu"])(
    "are refused where the header cannot be read: %j [param-header-chars]",
    async (value) => {
      const { call } = await serve()

      for (const args of [{ region: value }, {}]) {
        expect(await call(args, { "mcp-param-region": value })).toMatchObject({
          status: 400,
          error: { code: -32020, message: expect.stringContaining('"Mcp-Param-Region" is malformed') },
        })
      }
    },
  )

  it("leave values other than strings, numbers and booleans to the tool", async () => {
    const { call } = await serve()

    expect(await call({ region: { of: "eu" } })).toMatchObject({ status: 200, result: { isError: true } })
  })

  it("are repeated by the SDK's own client, which reads the annotations from the list", async () => {
    const { url } = await serve()
    const client = new Client({ name: "sdk", version: "0" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    onTestFinished(() => client.close())

    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === "echo")?.inputSchema.properties).toMatchObject(where.properties)
    const args = { region: "Zürich", level: 3, dry: true, deep: { tenant: "=?base64?eA==?=" } }
    expect(await client.callTool({ name: "echo", arguments: args })).toMatchObject({
      content: [{ text: JSON.stringify(args) }],
    })
    expect(await client.callTool({ name: "zod", arguments: { region: " a" } })).toMatchObject({
      content: [{ text: " a" }],
    })
    expect(await client.callTool({ name: "plain", arguments: { region: "a" } })).toMatchObject({
      content: [{ text: "plain" }],
    })
  })

  it.each(["dynamic", "stable"] as const)(
    "are compared in the exposure %s, and not where run_action is called",
    async (exposure) => {
      const { call, wire } = await serve({ exposure })
      const params = { name: "run_action", arguments: { name: "echo", arguments: { region: "eu" } } }

      expect(await call({ region: "eu" })).toMatchObject({ status: 400, error: { code: -32020 } })
      expect(await readAnswer(wire.modern({ method: "tools/call", params }))).toMatchObject({
        status: 200,
        result: { content: [{ text: '{"region":"eu"}' }] },
      })
    },
  )

  it.each(["openai-strict", "gemini"] as const)("are neither asked for nor expected with %s", async (profile) => {
    const { call, wire } = await serve({}, profile)
    const list = await readAnswer(wire.modern({ method: "tools/list" }))

    expect(JSON.stringify(list)).not.toContain("x-mcp-header")
    expect(await call({ region: "eu", level: null, dry: null, deep: null, other: null })).toMatchObject({
      status: 200,
      result: { resultType: "complete" },
    })
  })

  it("are not expected of the legacy era, nor on a pipe", async () => {
    const { adapter, wire } = await serve()
    const transport = connectInMemory(adapter)
    onTestFinished(() => transport.close())
    const params = { name: "echo", arguments: { region: "eu" } }
    const ok = { result: { content: [{ text: '{"region":"eu"}' }] } }

    const { send } = await wire.open()
    expect(await readAnswer(send({ id: 1, method: "tools/call", params }))).toMatchObject(ok)
    expect(await createLine(transport, "modern").ask({ id: 1, method: "tools/call", params })).toMatchObject(ok)
  })

  it("are passed to an extension, which compares those of its own tools", async () => {
    const heard: (string | undefined)[] = []
    const extension: EndpointOptions["extension"] = {
      methods: {
        "tools/call": (own) => (params, context) => {
          heard.push(context.header?.("mcp-param-region"))
          return own(params, context)
        },
      },
    }
    const { call } = await serve({ extension })

    expect(await call({ region: "eu" }, { "mcp-param-region": "eu" })).toMatchObject({ status: 200 })
    expect(await call({ region: "eu" })).toMatchObject({ status: 400, error: { code: -32020 } })
    expect(heard).toEqual(["eu", undefined])
  })
})

describe("an invalid annotation", () => {
  const text = (name: unknown, more: object = {}) => ({ type: "string", "x-mcp-header": name, ...more })

  it.each([
    [{ a: text("") }, '"x-mcp-header" at "/a" is "": expected a name of letters, digits and hyphens'],
    [{ a: text("A\r\nB") }, '"x-mcp-header" at "/a" is "A\\r\\nB": expected'],
    [{ a: text("A b") }, '"x-mcp-header" at "/a" is "A b": expected'],
    [{ a: text(7) }, '"x-mcp-header" at "/a" is 7: expected'],
    [{ a: text(() => "A") }, '"x-mcp-header" at "/a" is null: expected'],
    [
      { a: text("A"), b: { type: "object", properties: { c: text("a") } } },
      'at "/b/c" is "a", which another argument uses',
    ],
    [{ a: text("A", { type: "number" }) }, 'at "/a" is on a property of type "number": expected "string"'],
    [{ a: text("A", { type: ["string", "null"] }) }, 'at "/a" is on a property of type ["string","null"]'],
    [{ a: { type: "array", items: text("A") } }, 'at "/a/items" is in the wrong place'],
  ])(
    "is left out and told at the start, and the tool can be called: %j [param-header-name]",
    async (properties, found) => {
      // A schema in untyped code.
      const input = { type: "object", properties } as { readonly type: "object" }
      const odd = action({ description: "Odd", input, execute: () => say("called") })
      const adapter = createMcpAdapter(createAgenticService({ name: "odd", actions: { odd } }))
      const told: string[] = []
      adapter.events.subscribe((event) => event.type === "diagnostic" && told.push(event.diagnostic.message))
      const server = await serveHttp(adapter, { port: 0 })
      onTestFinished(() => server.close().finally(adapter.close))
      const { modern } = createWire(server.url)

      const list = await readAnswer(modern({ method: "tools/list" }))
      expect(JSON.stringify(list)).not.toContain("x-mcp-header")
      expect(JSON.stringify(list)).toContain('"odd"')
      expect(told).toEqual([expect.stringContaining(found)])
      expect(await readAnswer(modern({ method: "tools/call", params: { name: "odd" } }))).toMatchObject({ status: 200 })
    },
  )
})
