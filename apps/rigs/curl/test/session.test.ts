import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCurl } from "./curl.js"
import { expectStart } from "./expect-start.js"
import { read } from "./guide.js"
import { type Running, startServer } from "./serve.js"

// The exact commands from the documentation of neuro-san.
const [initialize = "", initialized = "", list = "", call = ""] = read("session.sh").split("\n\n")

describe("A session of another server's documentation", () => {
  let server: Running
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  it("starts", () => expectStart(initialize, server.url, "hello"))

  it("may acknowledge with an id", async () => {
    const { printed, log } = await runCurl(initialized, server.url)

    expect(printed).toBe("")
    expect(log).toContain("HTTP/1.1 202")
  })

  it("lists", async () => {
    const { printed } = await runCurl(list, server.url)

    expect(JSON.parse(printed)).toMatchObject({
      id: 3,
      result: { tools: [{ name: "hello_world", inputSchema: { type: "object", required: ["input"] } }] },
    })
  })

  it("calls", async () => {
    const { printed } = await runCurl(call, server.url)

    expect(JSON.parse(printed)).toMatchObject({
      id: 4,
      result: { content: [{ type: "text", text: expect.stringContaining("Say hello in two words") }] },
    })
  })
})
