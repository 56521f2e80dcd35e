import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { anyResult } from "../src/definitions/list-all.js"
import { fromMcpServer, type Upstream } from "../src/index.js"
import { answerIn } from "./one-write.mjs"
import { createScripted, tool } from "./scripted.js"
import { connectTo, type Era } from "./servers.js"

const TRACE = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", baggage: "a=b" }
const eras: readonly (readonly [Era, Era])[] = [
  ["legacy", "legacy"],
  ["legacy", "modern"],
  ["modern", "legacy"],
  ["modern", "modern"],
]

describe.each(eras)("a %s client of a %s server", (near, far) => {
  it("sends a call's own metadata and trace context", async () => {
    const { server, asked } = take(far)
    const client = await connectTo(server, near)
    await client.listTools()

    await client.callTool({
      name: "steps",
      _meta: { ...TRACE, "app/user": 7, "dev.mcp/x": 1, tracestate: 5 },
    })

    const { _meta } = asked.find(({ method }) => method === "tools/call")?.params ?? {}
    expect(_meta).toMatchObject({ ...TRACE, "app/user": 7 })
    expect(Object.keys(Object(_meta))).not.toEqual(expect.arrayContaining(["dev.mcp/x"]))
    expect(Object(_meta)).not.toHaveProperty("tracestate")
  })

  it("hears what the server logs in its call before the answer, where it wants to", async () => {
    const { server } = take(far)
    const client = await connectTo(server, near)
    await client.listTools()
    const heard: unknown[] = []
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params))

    await client.callTool({
      name: "steps",
      ...(near === "modern" && { _meta: { "io.modelcontextprotocol/logLevel": "info" } }),
    })

    expect(heard).toMatchObject([{ level: "info", data: "done" }])
  })
})

describe("a client that wants no log messages of that level", () => {
  it.each<Era>(eras.map(([era]) => era).filter((_, index) => index % 2 === 0))("hears none (%s)", async (near) => {
    const { server } = take("legacy")
    const client = await connectTo(server, near)
    await client.listTools()
    if (near === "legacy") await client.setLoggingLevel("error")
    const heard: unknown[] = []
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params))

    await client.callTool({ name: "steps" })

    expect(heard).toEqual([])
  })
})

describe("a log message of a server that runs calls of several callers", () => {
  it("is sent to none of them, because it names no call", async () => {
    const waiting: (() => void)[] = []
    const script = createScripted(
      {
        "tools/list": () => ({ tools: [tool("steps")] }),
        "tools/call": () =>
          new Promise((resolve) => {
            waiting.push(() => resolve({ content: [] }))
            if (waiting.length < 2) return
            script.notify("notifications/message", { level: "error", data: "whose?" })
            for (const end of waiting) end()
          }),
      },
      { tools: {}, logging: {} },
    )
    const server = fromMcpServer({ transport: script.transport })
    onTestFinished(() => server.close())
    const heard: unknown[] = []
    const clients = await Promise.all([connectTo(server, "legacy"), connectTo(server, "legacy")])
    for (const client of clients) {
      await client.listTools()
      client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params))
    }
    const told = firstValueFrom(server.events.pipe(filter(({ type }) => type === "log")))

    await Promise.all(clients.map((client) => client.callTool({ name: "steps" })))

    expect(await told).toMatchObject({ data: "whose?" })
    expect(heard).toEqual([])
  })
})

interface Asked {
  readonly method: string
  readonly params?: { readonly _meta?: object | undefined } | undefined
}

/** Creates a server of the given era that records its requests. */
function take(era: Era): { readonly server: Upstream; readonly asked: readonly Asked[] } {
  const asked: Asked[] = []
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    async send(message) {
      if ("method" in message) asked.push(message)
      queueMicrotask(() => {
        for (const answer of answerIn(era, message) as readonly JSONRPCMessage[]) transport.onmessage?.(answer)
      })
    },
  }
  const server = fromMcpServer({ transport: () => transport }, { era })
  onTestFinished(() => server.close())
  return { server, asked }
}

it.each<Era>(["legacy", "modern"])("a %s client reads members of contents that no revision names yet", async (near) => {
  const contents = { uri: "x://1", mimeType: "text/plain", text: "t", "x-rank": 3, deep: { list: [null] } }
  const script = createScripted(
    {
      "resources/list": () => ({ resources: [{ uri: "x://1", name: "n" }] }),
      "resources/read": () => ({ contents: [contents] }),
    },
    { resources: {} },
  )
  const server = fromMcpServer({ transport: script.transport })
  onTestFinished(() => server.close())
  const client = await connectTo(server, near)
  const [{ uri = "" } = {}] = (await client.listResources()).resources

  const read = await client.request({ method: "resources/read", params: { uri } }, anyResult)

  expect(read["contents"]).toEqual([{ ...contents, uri }])
})
