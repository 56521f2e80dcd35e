import { createAgentNetworks } from "@x/chat-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createNodeHandler } from "@x/mcp-adapter/http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCurl } from "./curl.js"
import { expectStart } from "./expect-start.js"
import { read } from "./guide.js"
import { type Listening, listenWith } from "./listen-with.js"

// The exact commands from the documentation of neuro-san.
const [initialize = "", initialized = "", list = "", call = ""] = read("session.sh").split("\n\n")

const networks = createAgentNetworks({
  name: "Neuro-san-MCPServer",
  networks$: {
    hello_world: {
      description: "I can help you to make a terse anouncement.",
      input: "text",
      async respond({ text }, { ask }) {
        const { text: words } = await ask("announcer", { messages: text })
        return words
      },
    },
    announcer: {
      description: "Announces",
      public: false,
      respond: ({ text }) => (text.includes("two words") ? ["Hails", " there"] : "Hear ye"),
    },
  },
})

describe("A session of another server's documentation, with a network of agents behind it", () => {
  let server: Listening
  beforeAll(async () => {
    const adapter = createMcpAdapter(networks)
    const mcp = createNodeHandler(adapter, {
      legacy: "stateless",
      states: "omit",
      tools: { runAction: false, listLinks: false },
    })
    server = await listenWith("/mcp", mcp, adapter)
  })
  afterAll(() => server.close())

  it("starts", () => expectStart(initialize, server.url, "Neuro-san-MCPServer"))

  it("is acknowledged", async () => {
    const { log } = await runCurl(initialized, server.url)

    expect(log).toContain("HTTP/1.1 202")
  })

  it("lists the network's tool, under its own name", async () => {
    const { printed } = await runCurl(list, server.url)

    expect(JSON.parse(printed)).toMatchObject({
      id: 3,
      result: {
        tools: [
          {
            name: "hello_world",
            description: "I can help you to make a terse anouncement.",
            inputSchema: {
              type: "object",
              properties: { input: { type: "string", description: "text input for chat request" } },
              required: ["input"],
            },
          },
        ],
      },
    })
    expect(JSON.parse(printed).result.tools).toHaveLength(1)
  })

  it("calls it", async () => {
    const { printed } = await runCurl(call, server.url)

    expect(JSON.parse(printed)).toEqual({
      jsonrpc: "2.0",
      id: 4,
      result: { content: [{ type: "text", text: "Hails there" }] },
    })
  })
})

describe("neuro-san's own request", () => {
  it("is published without what hosts cannot follow, and taken with all of its parts", async () => {
    const secret = "hunter2"
    const networks$ = {
      full: {
        description: "Answers",
        input: "neuro-san",
        respond: ({ text, slyData }: { text: string; slyData: object }) => `${text} ${Object.keys(slyData).join()}`,
      },
    } as const
    const adapter = createMcpAdapter(createAgentNetworks({ name: "networks", networks$ }))
    const server = await listenWith("/mcp", createNodeHandler(adapter, { legacy: "stateless" }), adapter)
    const params = {
      name: "full",
      arguments: {
        user_message: { type: "HUMAN", text: "hello" },
        chat_filter: { chat_filter_type: "MINIMAL" },
        sly_data: { login: secret },
      },
    }
    const body = JSON.stringify({ jsonrpc: "2.0", id: 4, method: "tools/call", params })

    const listed = await runCurl(list, server.url)
    const answered = await runCurl(call.replace(/-d '.*'/s, `-d '${body}'`), server.url).finally(server.close)

    const tool = JSON.parse(listed.printed).result.tools.find(({ name }: { name: string }) => name === "full")
    expect(Object.keys(tool.inputSchema.properties).sort()).toEqual([
      "chat_context",
      "chat_filter",
      "sly_data",
      "user_message",
    ])
    expect(listed.printed).not.toContain("#/components")
    expect(JSON.parse(answered.printed)).toMatchObject({ result: { content: [{ text: "hello login" }] } })
    expect(answered.printed).not.toContain(secret)
  })
})
