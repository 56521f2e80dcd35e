import { Client } from "@modelcontextprotocol/client"
import { action, createAgenticService } from "@x/agentic-service"
import { expect, it, onTestFinished } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { recommendExposure, recommendSchemas } from "../src/known-clients/known-clients.js"

it("publishes to the Acme client what its profile allows, and to others everything", async () => {
  const schemas = recommendSchemas({ name: "acme-client" })
  const acme = { ...(schemas && { schemas }) }
  const move = action({
    description: "Move",
    input: {
      type: "object",
      properties: { to: { $ref: "#/$defs/place" } },
      $defs: { place: { type: "string", description: "A place" } },
    },
    execute: () => undefined,
  })
  const adapter = createMcpAdapter(createAgenticService({ name: "board", actions: { move } }), {
    publish: { profile: "verbatim" },
    profiles: { choose: ({ client }) => (client?.name === "acme-client" ? acme : undefined) },
  })
  onTestFinished(adapter.close)
  const propertyFor = async (name: string) => {
    const client = new Client({ name, version: "0" })
    await client.connect(connectInMemory(adapter))
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    return tools.find((tool) => tool.name === "move")?.inputSchema.properties?.["to"]
  }

  expect(await propertyFor("somebody")).toEqual({ $ref: "#/$defs/place" })
  expect(await propertyFor("acme-client")).toEqual({ type: "string", description: "A place" })
  expect(recommendExposure({ name: "acme-client", version: "1" }, { tools: 1 })).toBe("dynamic")
})
