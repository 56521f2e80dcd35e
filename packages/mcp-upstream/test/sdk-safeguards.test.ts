import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import type { UpstreamOptions } from "../src/upstream.js"
import { listen } from "./http-server.js"
import { answerIn } from "./one-write.mjs"
import { connectTo } from "./servers.js"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** A server's answer to a call: a result or an error. */
type Answer = { readonly result: object } | { readonly error: object }

const done: Answer = { result: { resultType: "complete", content: [{ type: "text", text: "done" }] } }

describe("a call that its server puts off", () => {
  it("is repeated with the server's state until it has a result, as the SDK's client does", async () => {
    const answers = [1, 2].map((state) => ({
      result: { resultType: "input_required", requestState: `state-${state}` },
    }))
    const { sdk, upstream, calls } = await meet((count) => answers[count % 3] ?? done)

    const theirs = await sdk.callTool({ name: "steps", arguments: {} })
    const ours = await upstream.execute("steps", {})

    expect(theirs.content).toEqual([{ type: "text", text: "done" }])
    expect(ours).toMatchObject({ ok: true, content: [{ type: "text", text: "done" }] })
    expect(calls.slice(3).map(({ requestState, inputResponses }) => [requestState, inputResponses])).toEqual(
      calls.slice(0, 3).map(({ requestState, inputResponses }) => [requestState, inputResponses]),
    )
  })

  it("fails once it was put off ten times", async () => {
    const { upstream, calls } = await meet(() => ({ result: { resultType: "input_required", requestState: "later" } }))

    expect(await upstream.execute("steps", {})).toMatchObject({ ok: false, code: "endless_questions" })
    expect(calls).toHaveLength(11)
  })
})

describe("a call whose server asks again and again", () => {
  it("fails once it was asked about ten times", async () => {
    const params = { message: "Sure?", requestedSchema: { type: "object", properties: {} } }
    const inputRequests = { sure: { method: "elicitation/create", params } }
    const { upstream, calls } = await meet(() => ({ result: { resultType: "input_required", inputRequests } }))
    const context = { ...idle(), clientCapabilities: { elicitation: {} } }

    let reply = await upstream.execute("steps", {}, context)
    while (reply.ok === "ask") reply = await reply.resume({ sure: {} }, context)

    expect(reply).toMatchObject({ ok: false, code: "endless_questions" })
    expect(calls).toHaveLength(11)
  })
})

describe("a call that lacks a header which its server has begun to want", () => {
  it("is sent with it once the tools are listed again, as by the SDK's client", async () => {
    const { sdk, upstream, calls } = await meet(wantRegion, { tool: () => regionTool })
    calls.length = 0

    const theirs = await sdk.callTool({ name: "steps", arguments: { region: "north" } })
    const ours = await upstream.execute("steps", { region: "north" })

    expect(theirs.content).toEqual([{ type: "text", text: "done" }])
    expect(ours).toMatchObject({ ok: true })
  })

  it("is refused as it was where more than the tool's parameters has changed", async () => {
    const tool = () => ({ ...regionTool, annotations: { destructiveHint: true } })
    const { upstream } = await meet(wantRegion, { tool })

    expect(await upstream.execute("steps", { region: "north" })).toMatchObject({ ok: false, refusal: { code: -32020 } })
  })
})

describe("a result of an undeclared kind", () => {
  it("is an error, as for the SDK's client", async () => {
    const { sdk, upstream } = await meet(() => ({ result: { resultType: "elsewhere", content: [] } }))

    await expect(sdk.callTool({ name: "steps", arguments: {} })).rejects.toThrow("elsewhere")
    expect(await upstream.execute("steps", {})).toMatchObject({
      ok: false,
      message: expect.stringContaining("elsewhere"),
    })
  })
})

describe("a result that breaks its tool's own output schema", () => {
  it("crosses as it came, and is refused by the SDK's client behind as directly", async () => {
    const outputSchema = { type: "object", properties: { count: { type: "number" } }, required: ["count"] }
    const tool = () => ({ name: "steps", inputSchema: { type: "object" }, outputSchema })
    const result = { resultType: "complete", content: [], structuredContent: { count: "many" } }
    const { sdk, upstream } = await meet(() => ({ result }), { tool, plainNames: true })
    await sdk.listTools(undefined, { cacheMode: "refresh" })
    upstream.reconnect()
    await firstValueFrom(upstream.actions.pipe(filter((actions) => actions["steps"]?.output !== undefined)))
    const behind = await connectTo(upstream, "modern")
    await behind.listTools()

    const refused = /does not match the tool's output schema/
    await expect(sdk.callTool({ name: "steps", arguments: {} })).rejects.toThrow(refused)
    await expect(behind.callTool({ name: "steps", arguments: {} })).rejects.toThrow(refused)
    expect(await upstream.execute("steps", {})).toMatchObject({ ok: true, value: { count: "many" } })
  })
})

describe("a call whose stream breaks off", () => {
  it("is resumed after the last event, in the time that its server gave", async () => {
    const resumed: unknown[] = []
    const url = await listen((request, response, body) => {
      const { id, method, params }: Message = JSON.parse(body || "{}")
      const write = (text: string): unknown =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(text)
      if (request.method === "GET" && request.headers["last-event-id"] === undefined)
        return response.writeHead(405).end()
      if (request.method === "GET") {
        resumed.push(request.headers["last-event-id"])
        const answer = { jsonrpc: "2.0", id: called, result: { content: [{ type: "text", text: "resumed" }] } }
        return write(`id: 2\ndata: ${JSON.stringify(answer)}\n\n`)
      }
      if (method === "tools/call") {
        called = id
        return write("id: 1\nretry: 10\ndata: \n\n")
      }
      const [answer] = answerIn("legacy", { id, method, params })
      response.writeHead(answer === undefined ? 202 : 200, { "content-type": "application/json" })
      return response.end(answer === undefined ? "" : JSON.stringify(answer))
    })
    let called: number | undefined
    const upstream = fromMcpServer({ url }, { era: "legacy" })
    onTestFinished(() => upstream.close())
    await firstValueFrom(upstream.actions.pipe(filter((actions) => "steps" in actions)))

    expect(await upstream.execute("steps", {})).toMatchObject({ ok: true, content: [{ text: "resumed" }] })
    expect(resumed).toEqual(["1"])
  })
})

describe("a server that leads to another origin", () => {
  it("is not followed, so no header and no body is sent there", async () => {
    const reached: unknown[] = []
    const elsewhere = await listen((request, response) => {
      reached.push(request.headers.authorization)
      response.writeHead(200).end()
    })
    const url = await listen((_, response) => response.writeHead(307, { location: elsewhere }).end())
    const upstream = fromMcpServer(
      { url, headers: { authorization: "Bearer secret" } },
      { limits: { retryMs: 60_000 } },
    )
    onTestFinished(() => upstream.close())
    upstream.reconnect()

    const status = await firstValueFrom(upstream.status.pipe(filter(({ state }) => state === "waiting")))

    expect(status).toMatchObject({ reason: expect.stringContaining("redirect") })
    expect(reached).toEqual([])
  })
})

const regionTool = {
  name: "steps",
  inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
}

function wantRegion(_: number, headers: Readonly<Record<string, unknown>>): Answer {
  return headers["mcp-param-region"] === "north"
    ? done
    : { error: { code: -32020, message: "Mcp-Param-Region is missing" } }
}

function idle() {
  return { signal: new AbortController().signal, progress: () => undefined, answers: {} }
}

/** Connects the SDK's client and ours to a modern server. Both have listed its tools before they changed to `tool`. */
async function meet(
  answer: (count: number, headers: Readonly<Record<string, unknown>>) => Answer,
  { tool, ...options }: { readonly tool?: () => object } & UpstreamOptions = {},
) {
  const calls: Readonly<Record<string, unknown>>[] = []
  let isLater = false
  const url = await listen((request, response, body) => {
    const message: Message = JSON.parse(body || "{}")
    const [usual] = answerIn("modern", message).slice(-1)
    response.writeHead(usual === undefined ? 202 : 200, { "content-type": "application/json" })
    if (usual === undefined) return response.end()
    const given = message.method === "tools/call" ? answer(calls.push(message.params ?? {}) - 1, request.headers) : {}
    const listed = message.method === "tools/list" && isLater && tool !== undefined ? [tool()] : undefined
    const { result, error } = { ...usual, ...given } as { result?: object; error?: object }
    const full = error === undefined ? { result: { ...result, ...(listed && { tools: listed }) } } : { error }
    return response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...full }))
  })
  const sdk = new Client({ name: "sdk", version: "0" }, { versionNegotiation: { mode: "auto" } })
  await sdk.connect(new StreamableHTTPClientTransport(new URL(url)))
  const upstream = fromMcpServer({ url }, options)
  onTestFinished(async () => {
    await sdk.close()
    await upstream.close()
  })
  await sdk.listTools()
  await firstValueFrom(upstream.actions.pipe(filter((actions) => "steps" in actions)))
  isLater = true
  return { sdk, upstream, calls }
}
