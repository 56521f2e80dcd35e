import { describe, expect, it, onTestFinished } from "vitest"
import { anyResult } from "../src/definitions/list-all.js"
import { fromMcpServer } from "../src/index.js"
import { createScripted } from "./scripted.js"
import { connectTo } from "./servers.js"

const inputSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $anchor: "root",
  type: "object",
  properties: { a: { type: "string", "x-mcp-header": "A" }, value: { type: "number" } },
  allOf: [{ anyOf: [{ required: ["a"] }, { required: ["value"] }] }],
  if: { required: ["a"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { minProperties: 1 },
}

describe.each(["legacy", "modern"] as const)('a foreign tool with the profile "verbatim", to a %s client', (era) => {
  it("has the schema of its server, and its server gets the arguments as they were sent", async () => {
    const sent: unknown[] = []
    const { transport } = createScripted({
      "tools/list": () => ({ tools: [{ name: "pick", inputSchema }] }),
      "tools/call": ({ arguments: args }) => {
        sent.push(args)
        return { content: [] }
      },
    })
    const upstream = fromMcpServer({ transport }, { era: "legacy", plainNames: true })
    onTestFinished(() => upstream.close())
    const client = await connectTo(upstream, era, { adapter: { publish: { profile: "verbatim" } } })
    const { tools } = await client.request({ method: "tools/list", params: {} }, anyResult)
    const args = { a: "x", value: 5, other: [{ deep: null }] }
    await client.callTool({ name: "pick", arguments: args })

    expect(tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: "pick", inputSchema })]))
    expect(sent).toEqual([args])
  })
})

describe.each(["legacy", "modern"] as const)(
  "a foreign tool that returns one of two objects, to a %s client",
  (era) => {
    it("has the output schema of its server, and the result is the server's", async () => {
      const has = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] })
      const outputSchema = { type: "object", anyOf: [has("found"), has("hint")], $defs: { unused: {} } }
      const { transport } = createScripted({
        "tools/list": () => ({ tools: [{ name: "pick", inputSchema: { type: "object" }, outputSchema }] }),
        "tools/call": () => ({ content: [{ type: "text", text: "x" }], structuredContent: { hint: "x" } }),
      })
      const upstream = fromMcpServer({ transport }, { era: "legacy", plainNames: true })
      onTestFinished(() => upstream.close())
      const client = await connectTo(upstream, era, { endpoint: { results: { catchUp: true } } })

      const { tools } = await client.request({ method: "tools/list", params: {} }, anyResult)
      const { structuredContent } = await client.callTool({ name: "pick" })

      expect(tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: "pick", outputSchema })]))
      expect(structuredContent).toEqual({ hint: "x" })
    })
  },
)
