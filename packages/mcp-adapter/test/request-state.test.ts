import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createWire, envelope, readAnswer } from "./support/wire.js"

describe("the state of a question, over HTTP", () => {
  it("runs the action once for any number of deliveries of the answer", async () => {
    const { ask, answer, done } = await serve()
    const state = await ask()

    const first = await answer(state)
    const second = await answer(state)

    expect([first.result?.["structuredContent"], second.result?.["structuredContent"]]).toEqual([
      { nth: 1 },
      { nth: 1 },
    ])
    expect(done).toHaveLength(1)
  })

  it.each<[string, (state: string) => string]>([
    ["a later expiry", (state) => state.replace(/"until":\d+/, '"until":9999999999999')],
    ["another signature", (state) => state.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))],
    ["words of its own", () => "yes"],
  ])("runs nothing for a client that gives it %s", async (_, tamper) => {
    const { ask, answer, done } = await serve()

    const { error } = await answer(tamper(await ask()))

    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("does not belong") })
    expect(done).toEqual([])
  })
})

describe("an author's pattern, over HTTP", () => {
  it("is checked in linear time, even if it backtracks catastrophically in other engines", async () => {
    const { call } = await serve()

    const { result } = await call("tag", { arguments: { word: `${"a".repeat(50_000)}!` } })

    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("(invalid_input)") }] })
  })
})

/** Serves a shop that asks before it clears, and connects a modern client that can ask. */
async function serve() {
  const done: number[] = []
  const input = { type: "object", properties: { word: { type: "string", pattern: "^(a+)+$" } } } as const
  const output = { type: "object", properties: { nth: { type: "integer" } }, required: ["nth"] } as const
  const shop = createAgenticService({
    name: "shop",
    actions: {
      clear: action({
        description: "Clear",
        output,
        confirm: () => "Clear it?",
        execute: () => ({ nth: done.push(1) }),
      }),
      tag: action({ description: "Tag", input, execute: () => undefined }),
    },
  })
  const adapter = createMcpAdapter(shop)
  const server = await serveHttp(adapter, { port: 0 })
  onTestFinished(() => server.close().finally(adapter.close))
  const { modern } = createWire(server.url)
  const _meta = { ...envelope, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } }
  const call = (name: string, params: object = {}) =>
    readAnswer(modern({ method: "tools/call", params: { name, ...params, _meta } }))
  const inputResponses = { _confirm: { action: "accept", content: { confirm: true } } }
  return {
    done,
    call,
    ask: async () => String((await call("clear")).result?.["requestState"]),
    answer: (requestState: string) => call("clear", { requestState, inputResponses }),
  }
}
