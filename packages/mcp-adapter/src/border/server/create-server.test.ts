import type { Transport } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { createClient } from "../../../test/support/connect.js"
import type { CallContext } from "../../calls/call-context.js"
import { createEndpoint } from "../../create-endpoint.js"
import { ProtocolError } from "../../handlers/handler.js"
import { createEmptyAdapter } from "../http/requests.fixture.js"
import { servePipe } from "../pipe/serve-pipe.js"

describe("createServer", () => {
  it.each(["legacy", "modern"] as const)(
    "passes the caller, its leg and its capabilities to a handler, %s",
    async (era) => {
      const { contexts, client } = await connect(era, { principal: { id: "ann" } })

      await client.listTools()

      expect(contexts[0]).toMatchObject({
        principal: { id: "ann" },
        client: "ann",
        leg: { transport: "in-memory", era, notices: true },
        clientCapabilities: { elicitation: {} },
      })
      expect(contexts[0]?.signal.aborted).toBe(false)
      await client.close()
    },
  )

  it("offers progress only to a caller that asked for it [progress-token]", async () => {
    const { contexts, client } = await connect("legacy")

    await client.listTools()
    await client.listTools(undefined, { onprogress: () => {} })

    expect(contexts.map(({ progress }) => typeof progress)).toEqual(["undefined", "function"])
    await client.close()
  })

  it("sends no progress once it has answered [progress-stops]", async () => {
    const { contexts, client } = await connect("legacy")
    const heard: number[] = []
    client.onerror = () => heard.push(-1)

    await client.listTools(undefined, { onprogress: ({ progress }) => heard.push(progress) })
    contexts[0]?.progress?.({ progress: 1 })
    await client.listTools()

    expect(heard).toEqual([])
    await client.close()
  })

  it("answers a protocol error with its code, message and data", async () => {
    const { client } = await connect("modern", {
      answer: () => Promise.reject(new ProtocolError(-32602, "no such page", { data: { cursor: "x" } })),
    })

    await expect(client.listTools()).rejects.toMatchObject({ code: -32602, data: { cursor: "x" } })
    await client.close()
  })
})

interface ServeOptions {
  readonly principal?: Principal
  readonly answer?: () => Promise<{ tools: [] }>
}

/** Connects a client to an endpoint whose `tools/list` records its context. */
async function connect(
  era: "legacy" | "modern",
  { principal, answer = async () => ({ tools: [] }) }: ServeOptions = {},
) {
  const endpoint = createEndpoint(createEmptyAdapter())
  const contexts: CallContext[] = []
  const list = (_: unknown, context: CallContext) => {
    contexts.push(context)
    return answer()
  }
  const mine: Transport = {
    start: async () => {},
    send: async (message) => end.receive(JSON.stringify(message)),
    close: async () => end.gone(),
  }
  const end = servePipe(
    {
      ...endpoint,
      // The lane uses no server.
      open: (who) => ({ ...endpoint.open(who), handlers: { "tools/list": list }, ownHandler: () => undefined }),
    },
    { send: (text) => void setImmediate(() => mine.onmessage?.(JSON.parse(text))), close: () => {} },
    { principal, transport: "in-memory" },
  )
  const client = createClient(era, { elicitation: {} })
  await client.connect(mine)
  return { client, contexts }
}
