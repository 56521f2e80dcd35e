import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { putRequests } from "../border/server/put-requests.js"
import { contextWith } from "../calls/serve.fixture.js"
import { createMcpAdapter } from "../create-adapter.js"
import { bindSdkV1 } from "./bind-sdk-v1.js"

describe("putRequests, with SDK v1", () => {
  it("runs an action once the person has agreed", async () => {
    const { client, asked, cleared } = await connect(() => ({ action: "accept", content: { confirm: true } }))

    expect(await client.callTool({ name: "clear" })).not.toHaveProperty("isError")

    expect(asked).toEqual(["Delete everything?\n\nAction: clear"])
    expect(cleared()).toBe(1)
  })

  it("runs nothing if the person declines", async () => {
    const { client, cleared } = await connect(() => ({ action: "decline" }))

    expect(await client.callTool({ name: "clear" })).toMatchObject({ isError: true })
    expect(cleared()).toBe(0)
  })

  it("answers with a failure if the client refuses to ask", async () => {
    const { client, cleared } = await connect(() => {
      throw new Error("no window")
    })

    const { content, isError } = await client.callTool({ name: "clear" })

    expect(JSON.stringify(content)).toContain("the client could not be asked: ")
    expect(JSON.stringify(content)).toContain("no window")
    expect(isError).toBe(true)
    expect(cleared()).toBe(0)
  })

  it("passes the answers on under their keys, with the question's state", async () => {
    const peer = { notify: () => {}, log: () => {}, request: async (method: string) => ({ said: method }) }
    const handler = putRequests(
      async (_, { inputResponses, requestState }) => {
        if (inputResponses !== undefined) return { inputResponses, requestState }
        const inputRequests = { one: { method: "roots/list" }, two: { method: "elicitation/create", params: {} } }
        return { resultType: "input_required", inputRequests, requestState: "state" }
      },
      { isCall: true },
    )

    expect(await handler({}, contextWith({ peer }))).toEqual({
      inputResponses: { one: { said: "roots/list" }, two: { said: "elicitation/create" } },
      requestState: "state",
    })
  })

  it("fails a call that asks without end, or on a connection that cannot ask", async () => {
    let calls = 0
    const handler = putRequests(
      async () => {
        calls += 1
        return { resultType: "input_required", inputRequests: { one: { method: "roots/list" } } }
      },
      { isCall: true },
    )
    const peer = { notify: () => {}, log: () => {}, request: async () => ({}) }

    expect(await handler({}, contextWith({ peer }))).toMatchObject({ isError: true })
    expect(calls).toBe(10)
    expect(await handler({}, contextWith({}))).toMatchObject({ isError: true })
    expect(calls).toBe(12)
  })
})

/** Connects a client that can ask to an action that needs confirmation. */
async function connect(answer: () => ElicitResult) {
  let count = 0
  const asked: string[] = []
  const clear = action({
    description: "Delete everything",
    destructive: true,
    confirm: () => "Delete everything?",
    execute: () => {
      count += 1
    },
  })
  const server = new Server({ name: "own", version: "0" })
  bindSdkV1(createMcpAdapter(createAgenticService({ name: "board", actions: { clear } })), server)
  const [mine, other] = InMemoryTransport.createLinkedPair()
  await server.connect(other)
  const client = new Client({ name: "test", version: "0" }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return answer()
  })
  await client.connect(mine)
  return { client, asked, cleared: () => count }
}
