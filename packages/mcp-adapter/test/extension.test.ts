import type { Client } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { createClient, type Era } from "./support/connect.js"
import { connectExtended } from "./support/connect-extended.js"

const NOTE = "note://one"
const WARNING = { "io.modelcontextprotocol/logLevel": "warning" }
const eras: readonly Era[] = ["legacy", "modern"]
const legs = Object.entries(connectExtended).flatMap(([transport, connect]) =>
  eras.map((era) => [`${transport}, ${era}`, era, connect] as const),
)

describe.each(legs)("an extension over %s", (_, era, connect) => {
  let client: Client
  let leg: Awaited<ReturnType<typeof connect>>
  beforeAll(async () => {
    client = createClient(era, { elicitation: {}, sampling: {} })
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }))
    client.setRequestHandler("sampling/createMessage", () => ({
      role: "assistant",
      model: "test",
      content: { type: "text", text: "hello" },
    }))
    leg = await connect(client)
  })
  afterAll(async () => {
    await leg.close()
    expect(Object.values(leg.adapter?.ledger.counts() ?? {}).filter((count) => count > 0)).toEqual([])
  })

  it("is announced beside our own capabilities", () => {
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
      ...(client.getProtocolEra() === "modern" && { extensions: { "io.modelcontextprotocol/tasks": {} } }),
    })
  })

  it("offers prompts", async () => {
    expect((await client.listPrompts()).prompts).toEqual([{ name: "greet" }])
    expect((await client.getPrompt({ name: "greet" })).messages).toMatchObject([{ content: { text: "Greet me" } }])
  })

  it("completes arguments", async () => {
    const ref = { type: "ref/prompt" as const, name: "greet" }

    const { completion } = await client.complete({ ref, argument: { name: "city", value: "p" } })

    expect(completion.values).toEqual(["paris"])
  })

  it("adds tools to ours", async () => {
    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["show", "notify", "log", "sample"]))
  })

  it("adds resources to ours", async () => {
    expect((await client.listResources()).resources).toContainEqual({ uri: NOTE, name: "one" })
    expect((await client.readResource({ uri: NOTE })).contents).toMatchObject([{ text: "first" }])
    await expect(client.readResource({ uri: "note://two" })).rejects.toThrow("resource not found")
  })

  it("answers a method of its own", async () => {
    const request = { method: "example/echo", params: { words: "twice" } }

    expect(await client.request(request, z.object({ echo: z.string() }))).toMatchObject({ echo: "twice" })
  })

  it("never sends its unexpected error", async () => {
    await expect(client.getPrompt({ name: "broken" })).rejects.toMatchObject({
      code: -32603,
      message: "internal error",
    })
  })

  it("logs at the client's level [log-opt-in]", async () => {
    const heard: unknown[] = []
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params))
    if (era === "legacy") await client.setLoggingLevel("warning")
    // A request without a level gets no log messages.
    else await client.callTool({ name: "log" })

    await client.callTool({ name: "log", ...(era === "modern" && { _meta: WARNING }) })

    expect(heard).toEqual([{ level: "warning", data: "high", logger: "tests" }])
  })

  it("asks the person and continues with the answer", async () => {
    expect(await client.callTool({ name: "elicit" })).toMatchObject({ content: [{ text: "Ada, asked" }] })
  })

  it("asks the client while it runs, in the era that allows it", async () => {
    const said = era === "legacy" ? "hello" : "cannot ask"

    expect(await client.callTool({ name: "sample" })).toMatchObject({ content: [{ text: said }] })
  })

  it("announces its prompts, and a subscribed resource", async () => {
    const prompts = new Promise((resolve) =>
      client.setNotificationHandler("notifications/prompts/list_changed", resolve),
    )
    const updated = new Promise((resolve) => client.setNotificationHandler("notifications/resources/updated", resolve))
    if (era === "legacy") await client.subscribeResource({ uri: NOTE })
    else await client.listen({ promptsListChanged: true, resourceSubscriptions: [NOTE] })

    await client.callTool({ name: "notify" })

    await prompts
    expect(await updated).toMatchObject({ params: { uri: NOTE } })
  })

  it("keeps every kind of content unchanged", async () => {
    expect((await client.callTool({ name: "show" })).content).toEqual([
      { type: "text", text: "see" },
      { type: "image", data: "AQID", mimeType: "image/png" },
      { type: "audio", data: "AQID", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: NOTE, mimeType: "text/plain", text: "first" } },
      { type: "resource_link", uri: NOTE, name: "one" },
    ])
  })
})

describe("an extension that asks a client without the capability", () => {
  it("gets the reason without asking the client", async () => {
    const asked: string[] = []
    const client = createClient("legacy")
    client.fallbackRequestHandler = async ({ method }) => {
      asked.push(method)
      return {}
    }
    const leg = await connectExtended["in-memory"]?.(client)

    await expect(client.callTool({ name: "sample" })).rejects.toMatchObject({
      code: -32021,
      message: '"sampling/createMessage" was not sent: the client did not declare "sampling"',
    })

    expect(asked).toEqual([])
    await leg?.close()
  })
})
