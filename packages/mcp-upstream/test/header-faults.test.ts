import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import { listen } from "./http-server.js"
import { answerIn } from "./one-write.mjs"
import { connectTo } from "./servers.js"

const text = (name: unknown, more: object = {}) => ({ type: "string", "x-mcp-header": name, ...more })
const of = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })

/** Input schemas by tool name. */
const schemas: Readonly<Record<string, object>> = {
  plain: of({ a: { type: "string" } }),
  valid: of({ a: text("A-b"), b: text("c", { type: "integer" }), d: text("d", { type: "boolean" }) }),
  nested: of({ a: of({ b: text("B") }) }),
  property_of_that_name: of({ "x-mcp-header": { type: "string" } }),
  in_a_default: of({ a: { type: "object", default: { "x-mcp-header": "" } } }),
  empty: of({ a: text("") }),
  no_text: of({ a: text(5) }),
  space: of({ a: text("A b") }),
  control: of({ a: text("A\r\nB") }),
  colon: of({ a: text("A:") }),
  number: of({ a: text("A", { type: "number" }) }),
  untyped: of({ a: { "x-mcp-header": "A" } }),
  two_types: of({ a: text("A", { type: ["string", "null"] }) }),
  list: of({ a: { type: "array", "x-mcp-header": "A" } }),
  duplicate: of({ a: text("Same"), b: text("sAME") }),
  nested_duplicate: of({ a: text("A"), b: of({ c: text("a") }) }),
  root: of({}, { "x-mcp-header": "A" }),
  items: of({ a: { type: "array", items: text("A") } }),
  any: of({}, { anyOf: [of({ a: text("A") })] }),
  branch: of({}, { if: {}, else: of({ a: text("A") }) }),
  definition: of({ a: { $ref: "#/$defs/b" } }, { $defs: { b: text("A") } }),
  pattern: of({}, { patternProperties: { "^a": text("A") } }),
}

describe("a tool whose arguments are sent as headers", () => {
  it("is taken or left out as the SDK's own client does it, over HTTP in the modern era", async () => {
    const url = await serve()
    const sdk = new Client({ name: "sdk", version: "0" }, { versionNegotiation: { mode: "auto" } })
    await sdk.connect(new StreamableHTTPClientTransport(new URL(url)))
    onTestFinished(() => sdk.close())
    const upstream = fromMcpServer({ url }, { plainNames: true })
    onTestFinished(() => upstream.close())
    const client = await connectTo(upstream, "modern")

    const [theirs, ours] = [await sdk.listTools(), await client.listTools()].map(({ tools }) =>
      tools.map(({ name }) => name).filter((name) => name in schemas),
    )
    expect(ours?.sort()).toEqual(theirs?.sort())
    expect(ours).toEqual(["in_a_default", "nested", "plain", "property_of_that_name", "valid"])
  })

  it("is reported with the fault when it is left out", async () => {
    const upstream = fromMcpServer({ url: await serve() })
    onTestFinished(() => upstream.close())
    const told = firstValueFrom(
      upstream.events.pipe(filter((event) => event.type === "diagnostic" && event.code === "malformed")),
    )
    await firstValueFrom(upstream.actions)

    expect(await told).toMatchObject({
      message: expect.stringContaining('"x-mcp-header" at "/a" is "": expected a name of letters, digits and hyphens'),
    })
  })
})

/** Starts a modern server with a tool for each schema. */
function serve(): Promise<string> {
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }))
  return listen((_, response, body) => {
    const request = JSON.parse(body || "{}")
    const [answer] = answerIn("modern", request)
    const full = request.method === "tools/list" ? { ...answer, result: { ...Object(answer).result, tools } } : answer
    response.writeHead(answer === undefined ? 202 : 200, { "content-type": "application/json" })
    response.end(answer === undefined ? "" : JSON.stringify(full))
  })
}
