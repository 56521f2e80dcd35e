import { Client } from "@modelcontextprotocol/client"
import { createMcpAdapter, logCalls } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { describe, expect, it, onTestFinished } from "vitest"
import { createAgentNetworks } from "../src/create-agent-networks.js"

const secret = "hunter2"

/** Asks a network that uses sly data. Returns everything its client receives, and the log. */
async function talk() {
  const used: unknown[] = []
  const service = createAgentNetworks({
    name: "networks",
    networks$: {
      front: {
        description: "Answers",
        input: "neuro-san",
        conversation: "client",
        async *respond({ text, slyData, ...rest }, { ask }) {
          used.push(slyData["token"])
          yield JSON.stringify(rest)
          const { text: answer } = await ask("back", { messages: text })
          yield answer
        },
      },
      back: {
        description: "Answers, too",
        public: false,
        respond: (request) => (request.text === "fail" ? Promise.reject(new Error("no")) : JSON.stringify(request)),
      },
    },
  })
  const adapter = createMcpAdapter(service)
  const shown: unknown[] = []
  const log = (fields: object, message: string) => void shown.push([fields, message])
  logCalls(adapter, { info: log, warn: log, error: log })
  const client = new Client({ name: "test", version: "0" })
  await client.connect(connectInMemory(adapter))
  onTestFinished(() => client.close().finally(adapter.close))
  const say = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const onprogress = (progress: object) => void shown.push(progress)
    shown.push(await client.callTool({ name, arguments: args }, { onprogress }))
  }
  return { used, shown, say }
}

describe("sly_data", () => {
  it("reaches the agent, and no result, notification or log line", async () => {
    const { used, shown, say } = await talk()
    const history = { origin: [{ tool: "front" }], messages: [{ type: "AI", text: "a", sly_data: { b: secret } }] }
    const question = (text: string) => ({
      user_message: { text, sly_data: { a: secret } },
      chat_context: { chat_histories: [history] },
      sly_data: { token: secret },
    })

    await say("front", question("hello"))
    await say("front", question("fail"))
    await say("run_action", { name: "front", arguments: question("hello") })
    await say("front", { ...question("hello"), user_message: { text: "hello", type: "WIZARD" } })
    await say("front", { ...question("hello"), sly_data: [secret] })

    expect(used).toEqual([secret, secret, secret])
    expect(shown.length).toBeGreaterThan(10)
    expect(JSON.stringify(shown)).not.toContain(secret)
  })
})
