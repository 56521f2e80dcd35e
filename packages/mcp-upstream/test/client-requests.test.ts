import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { mcpExtension, type Upstream } from "../src/index.js"
import { connectTo, type Era } from "./servers.js"
import { startWitness, type Way } from "./witness.js"

const ALL = { sampling: { tools: {} }, roots: {}, elicitation: { form: {}, url: {} } }

interface Caller {
  readonly era: Era
  readonly who: string
  readonly capabilities?: object
}

/** Connects a client with a model, folders and a browser over HTTP, and records every request to it. */
async function connect(url: URL, { era, who, capabilities = ALL }: Caller) {
  const asked: unknown[] = []
  const client = new Client(
    { name: who, version: "0" },
    { capabilities, ...(era === "modern" && { versionNegotiation: { mode: "auto" } }) },
  )
  if ("sampling" in capabilities)
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      asked.push(params)
      return { model: "m", role: "assistant", content: { type: "text", text: `model of ${who}` } }
    })
  if ("roots" in capabilities)
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file:///home/${who}` }] }))
  if ("elicitation" in capabilities)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params)
      return { action: "accept" }
    })
  await client.connect(new StreamableHTTPClientTransport(url))
  onTestFinished(() => client.close())
  const call = async (name: string): Promise<Record<string, unknown>> => {
    const { content, isError } = await client.callTool({ name, arguments: { who } })
    const said = String(Object(content[0])["text"])
    return isError ? { failed: said } : JSON.parse(said)
  }
  return { asked, call }
}

async function serve(server: Upstream): Promise<URL> {
  const adapter = createMcpAdapter(server, { limits: { readyWaitMs: 5_000 } })
  const extension = mcpExtension(server)
  const served = await serveHttp(adapter, { port: 0, results: { catchUp: false }, extension })
  onTestFinished(async () => {
    await served.close()
    extension.close()
    adapter.close()
  })
  return new URL(served.url)
}

const WAYS: readonly [Era, Way, Era][] = (["legacy", "modern"] as const).flatMap((near) =>
  (["http", "stdio"] as const).flatMap((way) =>
    (["legacy", "modern"] as const).map((far) => [near, way, far] as const),
  ),
) as [Era, Way, Era][]

describe.each(WAYS)("a server's request to a client (%s, before %s in the %s era)", (near, way, far) => {
  it("reaches the model, the folders and the browser of the caller, labelled", async () => {
    const { server } = await startWitness({ way, era: far })
    const ann = await connect(await serve(server), { era: near, who: "ann" })

    const answers = [await ann.call("sample"), await ann.call("where"), await ann.call("page")]

    expect(answers).toMatchObject([
      { answer: { model: "m", content: { text: "model of ann" } } },
      { answer: { roots: [{ uri: "file:///home/ann" }] } },
      { answer: { action: "accept" } },
    ])
    expect(ann.asked).toMatchObject([
      {
        systemPrompt: `${LABEL}\n\nBe brief.`,
        messages: [{ role: "user", content: { type: "text", text: "What does ann think?" } }],
        maxTokens: 10,
      },
      {
        mode: "url",
        url: "https://bank.example/ann",
        message: 'The server "bank" asks, in its own words:\n> Sign in, ann',
      },
    ])
    expect(ann.asked[0]).not.toHaveProperty("includeContext")
  })

  it("is refused if the call's client has not declared it, even if others have", async () => {
    const { server } = await startWitness({ way, era: far })
    const url = await serve(server)
    const [ann, bob] = [
      await connect(url, { era: near, who: "ann" }),
      await connect(url, { era: near, who: "bob", capabilities: {} }),
    ]

    const refusals = await Promise.all(
      ["sample", "where", "page"].map((name) => bob.call(name).catch(({ code }) => code)),
    )

    for (const refusal of refusals) expect(refusal).toEqual(far === "modern" ? -32_021 : { failed: expect.any(String) })
    expect(await ann.call("where")).toMatchObject({ answer: { roots: [{ uri: "file:///home/ann" }] } })
    expect(ann.asked).toEqual([])
  })
})

const LABEL = 'The server "bank" asks for this. The instructions below and the messages were written by it.'

describe.each<[Era, Way, Era]>([
  ["legacy", "http", "legacy"],
  ["modern", "http", "legacy"],
  ["legacy", "http", "modern"],
  ["modern", "stdio", "modern"],
])("what a server asks of many clients at once (%s, before %s in the %s era)", (near, way, far) => {
  it("is answered by the client of each call", async () => {
    const { server } = await startWitness({ way, era: far })
    const url = await serve(server)
    const names = ["ann", "bob", "cid"]
    const clients = await Promise.all(names.map((who) => connect(url, { era: near, who })))

    const said = await Promise.all(clients.flatMap(({ call }) => [call("sample"), call("where")]))

    expect(said).toMatchObject(
      names.flatMap((who) => [
        { who, answer: { content: { text: `model of ${who}` } } },
        { who, answer: { roots: [{ uri: `file:///home/${who}` }] } },
      ]),
    )
  })
})

describe("a server that asks outside any call", () => {
  it("gets no client's roots", async () => {
    const { server, until } = await startWitness({ way: "stdio", era: "legacy" })
    const ann = await connect(await serve(server), { era: "legacy", who: "ann" })

    await ann.call("later")

    expect(await until((entry) => entry["later"] === "ann")).toEqual({ later: "ann", code: -32_601 })
  })
})

describe("a client's refusal", () => {
  it("is the server's to know, in the legacy era on both sides", async () => {
    const { server } = await startWitness({ way: "http", era: "legacy" })
    const client = await connectTo(server, "legacy", { capabilities: { sampling: {} } })
    client.setRequestHandler("sampling/createMessage", () => {
      throw Object.assign(new Error("the person said no"), { code: -1 })
    })

    const { content } = await client.callTool({ name: "insist", arguments: { who: "ann" } })

    expect(JSON.parse(String(Object(content[0])["text"]))).toMatchObject({
      code: -1,
      message: expect.stringContaining("the person said no"),
    })
  })

  it.each<Way>(["http", "stdio"])(
    "of a form ends the question of a server of the legacy era at once, over %s",
    async (way) => {
      const { server, until } = await startWitness({ way, era: "legacy" })
      const url = await serve(server)
      const client = new Client({ name: "ann", version: "0" }, { capabilities: { elicitation: {} } })
      client.setRequestHandler("elicitation/create", () => {
        throw new Error("no window")
      })
      await client.connect(new StreamableHTTPClientTransport(url))
      onTestFinished(() => client.close())

      const { content } = await client.callTool({ name: "ask", arguments: { who: "ann" } })

      expect(await until(({ answered }) => answered === "ann")).not.toHaveProperty("pin")
      expect(JSON.stringify(content)).toContain("the client could not be asked: ")
      expect(server.holdings().calls).toBe(0)
    },
  )

  it("ends the call of a modern server, which cannot be told", async () => {
    const { server } = await startWitness({ way: "http", era: "modern" })
    const client = await connectTo(server, "legacy", { capabilities: { sampling: {} } })
    client.setRequestHandler("sampling/createMessage", () => {
      throw Object.assign(new Error("the person said no"), { code: -1 })
    })

    const { content, isError } = await client.callTool({ name: "sample", arguments: { who: "ann" } })

    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain("the person said no")
  })
})

describe("a request that is too large", () => {
  it("reaches no client", async () => {
    const { server } = await startWitness({ way: "stdio", era: "legacy" }, { limits: { resultChars: 100 } })
    const dropped = firstValueFrom(server.events.pipe(filter(({ type }) => type === "diagnostic")))
    const ann = await connect(await serve(server), { era: "legacy", who: "ann" })

    await ann.call("sample")

    expect(ann.asked).toEqual([])
    expect(await dropped).toMatchObject({
      code: "question_dropped",
      message: expect.stringContaining("100 characters"),
    })
  })
})

describe("the requests that a server may make", () => {
  it.each<[Era, object, object]>([
    ["legacy", { elicitation: { form: {} }, sampling: {}, roots: {} }, { roots: {} }],
    ["modern", { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } }, { roots: {} }],
    ["modern", { sampling: { context: {} } }, {}],
  ])(
    "is what its operator says, to a server of the %s era before a client with %j",
    async (era, declared, expected) => {
      const { server } = await startWitness({ way: "stdio", era }, { mayAsk: ["roots"] })
      const ann = await connect(await serve(server), { era: "modern", who: "ann", capabilities: declared })

      expect(await ann.call("declared")).toEqual(expected)
    },
  )

  it("gives a modern server the capabilities of the call's client", async () => {
    const { server } = await startWitness({ way: "stdio", era: "modern" })
    const url = await serve(server)
    const [ann, bob] = [
      await connect(url, { era: "modern", who: "ann" }),
      await connect(url, { era: "modern", who: "bob", capabilities: { roots: {} } }),
    ]

    expect(await ann.call("declared")).toEqual(ALL)
    expect(await bob.call("declared")).toEqual({ roots: {} })
  })
})
