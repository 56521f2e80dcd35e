import { createChatService } from "@x/chat-service"
import { createChatNodeHandler } from "@x/chat-service/http"
import { createMcpAdapter } from "@x/mcp-adapter"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCurl } from "./curl.js"
import { read } from "./guide.js"
import { type Listening, listenWith } from "./listen-with.js"

// The exact command from the documentation of ORBIT.
const command = read("chat.sh")

const guide = createChatService({
  name: "guide",
  description: "Knows capitals",
  async *respond({ text }) {
    yield* text.includes("France") ? ["It is ", "Paris", "."] : ["I do not know."]
    yield { type: "source", uri: "https://example.com/atlas" }
  },
})

describe("The chat of another server's documentation", () => {
  let server: Listening
  beforeAll(async () => {
    const adapter = createMcpAdapter(guide)
    const chat = createChatNodeHandler(adapter, { keys: new Map([["your_api_key", { id: "ann" }]]) })
    server = await listenWith("/v1/chat", chat, adapter)
  })
  afterAll(() => server.close())

  it("answers", async () => {
    const { printed } = await runCurl(command, server.url)

    expect(JSON.parse(printed)).toEqual({
      jsonrpc: "2.0",
      result: {
        output: { messages: [{ role: "assistant", content: "It is Paris." }] },
        sources: ["https://example.com/atlas"],
      },
      id: "req_123",
    })
  })

  it("streams", async () => {
    const { printed } = await runCurl(changed('"stream": false', '"stream": true'), server.url)

    const events = printed.split("\n\n").map((event) => event.replace("data: ", ""))
    const [sources, done, rest] = events.slice(-3)
    const chunks = events.slice(0, -3).map((event) => JSON.parse(event))
    expect([done, rest]).toEqual(["[DONE]", ""])
    expect(JSON.parse(sources ?? "")).toMatchObject({ result: { sources: ["https://example.com/atlas"] } })
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks[0]).toEqual({ jsonrpc: "2.0", result: { chunk: "It is " }, id: "req_123" })
    expect(chunks.map(({ result }) => result.chunk).join("")).toBe("It is Paris.")
  })

  it.each([
    ["a method it does not have", '"tools/call"', '"invalid_method"', -32601],
    ["a tool it does not have", '"name": "chat"', '"name": "paint"', -32601],
    ["parameters that are missing", '"arguments"', '"argument"', -32602],
    ["a role it does not know", '"role": "user"', '"role": "wizard"', -32602],
    ["no key that it knows", "your_api_key", "another_key", -32000],
  ])("answers %s with an error", async (...[, found, instead, code]) => {
    const { printed } = await runCurl(changed(found, instead), server.url)

    expect(JSON.parse(printed)).toMatchObject({ jsonrpc: "2.0", error: { code } })
  })

  it("answers its own fault with an error", async () => {
    const broken = createChatService({
      name: "broken",
      description: "Fails",
      respond: () => Promise.reject(new Error("hunter2")),
    })
    const adapter = createMcpAdapter(broken)
    const chat = createChatNodeHandler(adapter, { keys: new Map([["your_api_key", { id: "ann" }]]) })
    const other = await listenWith("/v1/chat", chat, adapter)

    const { printed } = await runCurl(command, other.url).finally(other.close)

    expect(JSON.parse(printed)).toMatchObject({ error: { code: -32603 }, id: "req_123" })
    expect(printed).not.toContain("hunter2")
  })
})

function changed(found: string, instead: string): string {
  expect(command).toContain(found)
  return command.replace(found, instead)
}
