import { createServer } from "node:http"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { respondWithModel } from "../src/respond/respond-with-model.js"
import { serveChat } from "../src/serve-chat.js"
import { type Asked, type Model, type Script, serveModel } from "./model-server.js"

/** Starts a chat with a model, and connects an MCP client. */
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

  it("aborts the model's request once no caller waits for it", async () => {
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

/** Creates a chunk as OpenAI's servers send it. */
const chunk = (delta: object, finish_reason: string | null = null): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
})
const half = chunk({ role: "assistant", content: "Par" })
const rest = chunk({ content: "is" })
const done = "data: [DONE]\n\n"
const asJson = { "content-type": "application/json" }
const refusal = (code: string | null): string => JSON.stringify({ error: { message: "no, hunter2", type: "t", code } })

describe("however a model's answer ends", () => {
  it.each<[string, Script]>([
    ["with stop", { body: [half, rest, chunk({}, "stop"), done] }],
    ["with stop in the last piece", { body: [half, chunk({ content: "is" }, "stop"), done] }],
    ["without a last line", { body: [half, rest, chunk({}, "stop")] }],
    [
      "with chunks that have no choices, no delta, or only usage",
      {
        body: [
          { id: "1" },
          { choices: [] },
          { choices: [{ index: 0 }] },
          half,
          rest,
          chunk({}, "stop"),
          { choices: [], usage: {} },
          done,
        ],
      },
    ],
    ["with another server's word for stop", { body: [half, rest, chunk({}, "eos"), done] }],
    [
      "in one piece, as JSON in place of a stream",
      {
        headers: asJson,
        body: [
          JSON.stringify({ choices: [{ message: { role: "assistant", content: "Paris" }, finish_reason: "stop" }] }),
        ],
      },
    ],
  ])("%s, it is whole", async (_name, script) => {
    const { say } = await talkTo(await serveModel(() => script))

    expect(await say("And France?")).toMatchObject({ structuredContent: { text: "Paris" } })
  })

  it.each<[string, Script, readonly [what: string, recovery: string]]>([
    ["at its length", { body: [half, chunk({}, "length"), done] }, ["cut off: it grew too long", "less at a time"]],
    [
      "in a filter",
      { body: [half, chunk({}, "content_filter"), done] },
      ["withheld by a content filter", "differently"],
    ],
    [
      "in a tool call",
      { body: [chunk({ tool_calls: [] }, "tool_calls"), done] },
      ["wants to call a tool", "differently"],
    ],
    ["for a reason of its own", { body: [half, chunk({}, "tired"), done] }, ["an unknown reason", "again"]],
    ["without a reason", { body: [half, done] }, ["broke off before its end", "ask again"]],
    ["with a connection that breaks", { body: [half], breaks: true }, ["broke off before its end", "ask again"]],
    [
      "with an error in its midst",
      { body: [half, { error: { message: "hunter2" } }] },
      ["broke off before its end", "again"],
    ],
    [
      "with an error in place of a chunk",
      { body: [{ error: { message: "hunter2" } }] },
      ["answered with an error", "later"],
    ],
    [
      "with an error as JSON in place of a stream",
      { headers: asJson, body: [refusal(null)] },
      ["answered with an error", "later"],
    ],
    ["with a chunk that is no JSON", { body: ["data: {hunter2\n\n"] }, ["an invalid response", "does not help"]],
    ["with JSON that is none", { headers: asJson, body: ["{hunter2"] }, ["an invalid response", "does not help"]],
    ["with nothing", { body: [] }, ["answer is empty", "ask again"]],
    ["with nothing but its end", { body: [chunk({}, "stop"), done] }, ["answer is empty", "ask again"]],
    [
      "with a page",
      { headers: { "content-type": "text/html" }, body: ["<p>hunter2</p>"] },
      ["answer is empty", "ask again"],
    ],
    [
      "with 400",
      { status: 400, headers: asJson, body: [refusal(null)] },
      ["refused the question (400)", "differently"],
    ],
    [
      "with a question that is too long",
      { status: 400, headers: asJson, body: [refusal("context_length_exceeded")] },
      ["too long for the model", "a new one"],
    ],
    [
      "with 401",
      { status: 401, headers: asJson, body: [refusal(null)] },
      ["rejected this chat's key (401)", "does not help"],
    ],
    [
      "with 404",
      { status: 404, headers: asJson, body: [refusal(null)] },
      ["does not have this model (404)", "does not help"],
    ],
    [
      "with 429",
      { status: 429, headers: { ...asJson, "retry-after": "7", "x-should-retry": "false" }, body: [refusal(null)] },
      ["overloaded (429)", "in 7 seconds"],
    ],
    [
      "without quota",
      { status: 429, headers: { ...asJson, "x-should-retry": "false" }, body: [refusal("insufficient_quota")] },
      ["no quota left", "does not help"],
    ],
    [
      "with 500",
      { status: 500, headers: { ...asJson, "x-should-retry": "false" }, body: ["hunter2"] },
      ["failed (500)", "later"],
    ],
  ])("%s, it is told as what it is, and kept as no answer", async (_name, script, [what, recovery]) => {
    let failing = true
    const asked: Asked[] = []
    const { say } = await talkTo(
      await serveModel((question) => {
        asked.push(question)
        return failing ? script : answering("yes")(question)
      }),
    )
    failing = false
    const begun = await say("first")
    failing = true
    const conversation = String(Object(begun.structuredContent).conversation)

    const result = await say("And France?", { conversation })

    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(what) }] })
    expect(JSON.stringify(result.content)).toContain(recovery)
    expect(JSON.stringify(result)).not.toContain("hunter2")
    failing = false
    await say("Sure?", { conversation })
    expect(Object(asked.at(-1)?.body).messages).toEqual([
      { role: "user", content: "first" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "Sure?" },
    ])
  })
})
