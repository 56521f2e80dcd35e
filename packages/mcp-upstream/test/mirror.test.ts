import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import { connectTo, createLab, type Era, inMemory } from "./servers.js"

describe.each<Era>(["legacy", "modern"])("a server served again (%s)", (era) => {
  it("lists its tools as they are", async () => {
    const client = await connectLab(era)

    const { tools } = await client.listTools()

    expect(tools.find(({ name }) => name === "add")).toMatchObject({
      title: "Add",
      description: "Adds",
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { a: { type: "number" } } },
    })
  })

  it("answers a call with what the server answered", async () => {
    const client = await connectLab(era)

    const result = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })

    expect(result).toMatchObject({
      content: [{ type: "text", text: "it is 3", annotations: { audience: ["user"] } }],
      structuredContent: { sum: 3 },
      _meta: { "lab/cost": 3 },
    })
    expect(JSON.stringify(result)).not.toContain("1.2.3")
  })

  it("fails as the server fails", async () => {
    const client = await connectLab(era)

    expect(await client.callTool({ name: "break" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "broken glass" }],
    })
  })

  it("reads a resource, listed and by its own URI", async () => {
    const client = await connectLab(era)

    const { resources } = await client.listResources()
    const { contents } = await client.readResource({ uri: "lab://motto" })

    expect(resources).toEqual([
      { uri: "lab://motto", name: "motto", title: "The motto", mimeType: "text/plain", size: 5 },
    ])
    expect(contents).toEqual([{ uri: "lab://motto", mimeType: "text/plain", text: "cave!" }])
  })

  it("reads a template's resource by URI and by an action", async () => {
    const client = await connectLab(era)

    const { contents } = await client.readResource({ uri: "lab://hidden/7" })
    const { content } = await client.callTool({ name: "read_page", arguments: { id: "8" } })

    expect(contents).toEqual([{ uri: "lab://hidden/7", text: "page 7" }])
    expect(content).toEqual([{ type: "resource", resource: { uri: "lab://hidden/8", text: "page 8" } }])
  })

  it("passes prompts and completion on", async () => {
    const client = await connectLab(era)

    const { prompts } = await client.listPrompts()
    const { messages } = await client.getPrompt({ name: "greet", arguments: { whom: "you" } })
    const completed = await client.complete({
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "whom", value: "x" },
    })
    const page = await client.complete({
      ref: { type: "ref/resource", uri: "lab://hidden/{id}" },
      argument: { name: "id", value: "4" },
    })

    expect(prompts.map(({ name }) => name)).toEqual(["greet"])
    expect(messages).toMatchObject([{ content: { text: "hello you" } }])
    expect([completed.completion.values, page.completion.values]).toEqual([["x!"], ["41", "42"]])
  })

  it("passes progress and cancellation on", async () => {
    const client = await connectLab(era)
    const abort = new AbortController()
    const told: object[] = []

    const call = client.callTool(
      { name: "wait" },
      {
        signal: abort.signal,
        onprogress: (progress) => {
          told.push(progress)
          abort.abort()
        },
      },
    )

    await expect(call).rejects.toThrow()
    expect(told).toEqual([{ progress: 1, total: 2, message: "half" }])
  })

  it("refuses arguments in the server's words", async () => {
    const client = await connectLab(era)

    const result = await client.callTool({ name: "add", arguments: { a: "x" } })

    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain("expected number")
  })
})

async function connectLab(era: Era) {
  const lab = fromMcpServer({ transport: inMemory(createLab) }, { name: "lab" })
  onTestFinished(async () => {
    await lab.close()
    expect(lab.holdings()).toEqual({ connections: 0, children: 0, timers: 0, calls: 0 })
  })
  return connectTo(lab, era)
}
