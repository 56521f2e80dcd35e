import { createServer } from "node:http"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { respondWithModel } from "../src/respond/respond-with-model.js"
import { serveChat } from "../src/serve-chat.js"
import { type Asked, type Model, serveModel } from "./model-server.js"

/** A chat with a model behind it, and an MCP client that talks to it. */
async function talkTo(baseUrl: string) {
  const chat = await serveChat(respondWithModel({ baseUrl, apiKey: "hunter2", model: "small" }), {
    port: 0,
    key: "key-of-ann",
  })
  const client = new Client({ name: "test", version: "0" })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${chat.url}/mcp`)))
  onTestFinished(() => client.close().finally(chat.close))
  const say = (content: string, options: Parameters<Client["callTool"]>[1] & { conversation?: string } = {}) => {
    const { conversation, ...request } = options
    const messages = [{ role: "user", content }]
    return client.callTool({ name: "chat", arguments: { messages, ...(conversation && { conversation }) } }, request)
  }
  return { chat, say }
}

const answering = (...pieces: string[]): Model =>
  async function* () {
    yield* pieces
  }

describe("respondWithModel", () => {
  it("asks with the conversation, and answers with all that the model says", async () => {
    const asked: Asked[] = []
    const { say } = await talkTo(
      await serveModel((question) => {
        asked.push(question)
        return answering("Paris", ", of", " course")(question)
      }),
    )
    const heard: string[] = []

    const { structuredContent: first } = await say("And France?", {
      onprogress: ({ message }) => heard.push(message ?? ""),
    })
    await say("Sure?", { conversation: String(Object(first).conversation) })

    expect(first).toMatchObject({ text: "Paris, of course" })
    expect(heard.join("")).toBe("Paris, of course")
    expect(asked).toMatchObject([
      { authorization: "Bearer hunter2", body: { model: "small", stream: true } },
      {
        body: {
          messages: [
            { role: "user", content: "And France?" },
            { role: "assistant", content: "Paris, of course" },
            { role: "user", content: "Sure?" },
          ],
        },
      },
    ])
  })

  it("lets go of the model when nobody waits for it any more", async () => {
    const controller = new AbortController()
    let gone: Promise<unknown> = Promise.resolve()
    const endless: Model = async function* ({ gone: signal }) {
      gone = new Promise((resolve) => signal.addEventListener("abort", resolve))
      yield "Hails"
      await gone
    }
    const { say } = await talkTo(await serveModel(endless))

    const call = say("hello", { signal: controller.signal, onprogress: () => controller.abort() })

    await expect(call).rejects.toThrow()
    await gone
  })

  it("says that a model refused, and keeps what it said to the log", async () => {
    const { say } = await talkTo(await serveModel(() => 401))

    const result = await say("hello")

    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("status 401") }] })
    expect(JSON.stringify(result)).not.toContain("hunter2")
  })

  it("says that a model cannot be reached", async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve))
    const address = closed.address()
    await new Promise((resolve) => closed.close(resolve))
    const { say } = await talkTo(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`)

    expect(await say("hello")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("the model cannot be reached") }],
    })
  })
})
