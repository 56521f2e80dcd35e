import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { type HttpServer, serveHttp } from "@x/mcp-adapter/http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createAdventure } from "../../../../packages/agentic-service/src/foreign/adobe.fixture.js"
import { clients } from "./clients.js"
import { firstTools, firstValue } from "./first.js"
import type { Peer } from "./peer.js"

describe.each(clients)("a genuine @adobe/data service, for $client", ({ connect }) => {
  // Each test restores the state.
  const { service, meet, hurt, foeHp } = createAdventure()
  let adapter: McpAdapter
  let server: HttpServer
  let peer: Peer
  beforeAll(async () => {
    adapter = createMcpAdapter(service, { name: "hero" })
    server = await serveHttp(adapter, { port: 0 })
    peer = await connect({ url: server.url })
  })
  afterAll(async () => {
    await peer.close()
    await server.close()
    adapter.close()
  })

  it("lists what can be done now, with named arguments", async () => {
    const tools = new Map((await peer.tools()).map((tool) => [tool.name, tool]))

    expect([...tools.keys()]).toEqual(["get_state", "list_links", "run_action", "heal", "rename"])
    expect(tools.get("heal")?.inputSchema).toMatchObject({ required: ["amount"], additionalProperties: false })
    expect(tools.get("rename")?.inputSchema).toMatchObject({ required: ["name"] })
  })

  it("calls an action of one parameter", async () => {
    hurt(9)

    expect(await peer.call("heal", { amount: 1 })).toMatchObject({ isError: false })
    expect(await peer.read("agentic://hero/hp")).toBe("10")
  })

  it("calls an action of two parameters, of a name each", async () => {
    const met = firstTools(peer, (names) => names.includes("strike"))
    meet(true)
    await met
    const strike = (await peer.tools()).find(({ name }) => name === "strike")
    const before = foeHp()

    const answer = await peer.call("strike", { weapon: "bow", Force_used: 2 })

    expect(strike?.inputSchema).toMatchObject({
      properties: { weapon: { type: "string", enum: ["sword", "bow"] }, Force_used: { type: "integer" } },
      required: ["weapon", "Force_used"],
    })
    expect(JSON.stringify(strike)).not.toContain("layout")
    expect(answer).toMatchObject({ isError: false })
    expect(answer.text.split("\n")).toContain(`{"weapon":"bow","left":${before - 2}}`)
    // Wait for late notices, so that the next test does not see them.
    const left = firstTools(peer, (names) => !names.includes("strike"))
    meet(false)
    await left
  })

  it("refuses what the service itself would take", async () => {
    expect(await peer.call("heal", { amount: "1" })).toMatchObject({ isError: true })
    expect(await peer.call("heal", { amount: 0 })).toMatchObject({ isError: true })
    expect(await peer.read("agentic://hero/hp")).toBe("10")
  })

  it("answers an error message of the service as a failure", async () => {
    const answer = await peer.call("rename", { name: "" })

    expect(answer).toEqual({
      isError: true,
      text: expect.stringContaining("a hero needs a name"),
      structured: undefined,
    })
  })

  it("follows actions and links while their conditions change", async () => {
    const met = firstTools(peer, (names) => names.includes("strike"))
    meet(true)
    expect(await met).toContain("foe__roar")

    const left = firstTools(peer, (names) => !names.includes("strike"))
    meet(false)
    expect(await left).not.toContain("foe__roar")
    expect(await peer.call("strike", { weapon: "bow", Force_used: 2 })).toMatchObject({ isError: true })
  })

  it("follows a state", async () => {
    await peer.follow("agentic://hero/hp")
    const hp = firstValue(peer, "agentic://hero/hp", (text) => text === "4")

    hurt(4)

    await hp
    expect(await peer.call("rest")).toMatchObject({ isError: false })
    expect(await peer.read("agentic://hero/hp")).toBe("10")
  })
})
