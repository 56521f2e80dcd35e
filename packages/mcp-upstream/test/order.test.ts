import { fileURLToPath } from "node:url"
import { Client, type Transport } from "@modelcontextprotocol/client"
import type { ExecuteContext, Reply } from "@x/agentic-service"
import { firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpClient, type Upstream } from "../src/index.js"
import { fromMcpServer } from "../src/node.js"
import { listen } from "./http-server.js"
import { answerIn } from "./one-write.mjs"
import { createScripted, type Scripted, tool } from "./scripted.js"
import { connectTo, type Era } from "./servers.js"

const STEPS = [1, 2, 3].map((progress) => ({ progress, total: 3 }))
const SERVER = fileURLToPath(new URL("chunk-server.mjs", import.meta.url))

describe.each<Era>(["legacy", "modern"])("what a server of the %s era writes together with its answer", (era) => {
  it.each([
    ["on standard output", commandIn],
    ["over HTTP", urlIn],
    ["in one task", inOneTask],
    ["to a client of somebody else's", clientIn],
  ])("arrives before it, %s", async (_, serve) => {
    const server = await serve(era)
    onTestFinished(() => server.close())
    await firstValueFrom(server.actions)

    const { reply, told } = await steps(server)

    expect(reply).toMatchObject({ ok: true, content: [{ text: "done" }] })
    expect(told).toEqual([...STEPS, "log"])
  })

  it("is told to a client before the answer", async () => {
    const client = await connectTo(await inOneTask(era), era)
    const told: object[] = []
    await client.listTools()

    await client.callTool({ name: "steps" }, { onprogress: (progress) => told.push(progress) })

    expect(told.at(-1)).toMatchObject(Object(STEPS.at(-1)))
  })

  it("arrives though its process ends right after", async () => {
    const server = await commandIn(era, { LAST: "1" })
    onTestFinished(() => server.close())
    await firstValueFrom(server.actions)

    expect(await steps(server)).toMatchObject({ reply: { ok: true }, told: [...STEPS, "log"] })
  })
})

describe("a server's messages during a call", () => {
  const said: string[] = []
  const open = async (notify: (script: Scripted) => void) => {
    let names = ["go"]
    const script = createScripted(
      {
        "tools/list": () => ({ tools: names.map((name) => tool(name)) }),
        "resources/list": () => ({ resources: [{ uri: "x://1", name: "one" }] }),
        "resources/read": () => ({ contents: [{ uri: "x://1", text: "now" }] }),
        "resources/subscribe": () => ({}),
        "tools/call": () => {
          names = ["go", "new"]
          notify(script)
          return { content: [] }
        },
      },
      { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
    )
    const server = fromMcpServer({ transport: script.transport })
    onTestFinished(() => server.close())
    const client = await connectTo(server, "legacy")
    await client.listTools()
    await client.subscribeResource({ uri: "x://1" })
    said.length = 0
    client.setNotificationHandler("notifications/tools/list_changed", () => void said.push("tools"))
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void said.push(params.uri))
    return client
  }

  it("of its tools is announced before the answer, and listed by then", async () => {
    const client = await open((script) => script.notify("notifications/tools/list_changed"))

    await client.callTool({ name: "go" })
    const before = [...said]
    const { tools } = await client.listTools()

    expect(before).toEqual(["tools"])
    expect(tools.map(({ name }) => name)).toContain("new")
  })

  it("of a resource is told to a client before the answer", async () => {
    const client = await open((script) => script.notify("notifications/resources/updated", { uri: "x://1" }))

    await client.callTool({ name: "go" })

    expect(said).toEqual(["x://1"])
  })
})

/** Calls the tool. @returns Its reply, and all messages received before it. */
async function steps(server: Upstream): Promise<{ readonly reply: Reply; readonly told: readonly unknown[] }> {
  const told: unknown[] = []
  const subscription = server.events.subscribe(({ type }) => type === "log" && told.push("log"))
  const context: ExecuteContext = {
    signal: new AbortController().signal,
    progress: (progress) => told.push(progress),
    answers: {},
  }
  const reply = await server.execute("steps", {}, context)
  const before = [...told]
  subscription.unsubscribe()
  return { reply, told: before }
}

async function commandIn(era: Era, env: Record<string, string> = {}): Promise<Upstream> {
  return fromMcpServer({ command: process.execPath, args: [SERVER], env: { ERA: era, ...env } }, { era })
}

async function urlIn(era: Era): Promise<Upstream> {
  const url = await listen((request, response, body) => {
    if (request.method !== "POST") return response.writeHead(405).end()
    const messages = answerIn(era, JSON.parse(body))
    if (messages.length === 0) return response.writeHead(202).end()
    const events = messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join("")
    return response.writeHead(200, { "content-type": "text/event-stream" }).end(events)
  })
  return fromMcpServer({ url }, { era })
}

async function inOneTask(era: Era): Promise<Upstream> {
  const server = fromMcpServer({ transport: () => createTransport(era) }, { era })
  onTestFinished(() => server.close())
  return server
}

async function clientIn(era: Era): Promise<Upstream> {
  const client = new Client(
    { name: "test", version: "0" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  )
  await client.connect(createTransport(era))
  onTestFinished(() => client.close())
  return fromMcpClient(client)
}

function createTransport(era: Era): Transport {
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    async send(message) {
      queueMicrotask(() => {
        for (const answer of answerIn(era, message)) transport.onmessage?.(answer)
      })
    },
  }
  return transport
}
