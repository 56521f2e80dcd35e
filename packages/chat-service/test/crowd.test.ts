import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { answerOf, CHUNKS, type Crowded, isCancelled, serveCrowd } from "./crowd.js"

/** The result of one chat. */
interface Heard {
  readonly question: string
  readonly cancelled: boolean
  /** The chunks, joined. */
  readonly text: string
  /** The conversation's owner and handle, if the client gets them. */
  readonly conversation?: readonly [owner: string, handle: string]
}

describe("a thousand chats at once", () => {
  it("over MCP: every chunk in order, none produced in vain, no call left", async () => {
    const crowd = await serveCrowd(50, 100)
    onTestFinished(crowd.close)
    const clients = await Promise.all(Array.from({ length: 50 }, (_, number) => connect(crowd, number)))

    const chats = clients.map((client, number) =>
      Array.from({ length: 20 }, (_, turn) => chatOverMcp(client, number, number * 20 + turn)),
    )
    const heard = await Promise.all(chats.flat())
    await Promise.all(clients.map((client) => client.close()))

    await expectAllHeard(crowd, heard)
    expect(await countKept(crowd, heard)).toBe(100)
  }, 180_000)

  it("over /v1/chat: every chunk in order, none produced in vain, no call left", async () => {
    const crowd = await serveCrowd(250, 100)
    onTestFinished(crowd.close)

    const heard = await Promise.all(Array.from({ length: 1_000 }, (_, question) => chatOverHttp(crowd, question)))

    await expectAllHeard(crowd, heard)
  }, 180_000)
})

async function connect({ url, keyOf }: Crowded, number: number): Promise<Client> {
  const modern = number % 2 === 0
  const client = new Client({ name: "test", version: "0" }, modern ? { versionNegotiation: { mode: "auto" } } : {})
  const headers = { "x-api-key": keyOf(number) }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  return client
}

async function chatOverMcp(client: Client, owner: number, number: number): Promise<Heard> {
  const question = `q${number}`
  const controller = new AbortController()
  let text = ""
  let last = 0
  let grows = true
  const params = { name: "chat", arguments: { messages: [{ role: "user", content: question }] } }
  const call = client.callTool(params, {
    signal: controller.signal,
    timeout: 170_000,
    onprogress({ progress, message = "" }) {
      grows &&= progress > last
      last = progress
      text += message
      if (isCancelled(question)) controller.abort()
    },
  })
  if (isCancelled(question)) return call.catch(() => {}).then(() => ({ question, cancelled: true, text }))
  const { structuredContent } = await call
  expect(structuredContent).toEqual({ text: answerOf(question, CHUNKS), conversation: expect.any(String) })
  expect(grows).toBe(true)
  const conversation = [`client-${owner}`, String(Object(structuredContent).conversation)] as const
  return { question, cancelled: false, text, conversation }
}

async function chatOverHttp({ url, keyOf }: Crowded, number: number): Promise<Heard> {
  const question = `q${number}`
  const controller = new AbortController()
  const response = await fetch(`${url}/v1/chat`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": keyOf(number % 250),
      "x-session-id": question,
    },
    signal: controller.signal,
    body: JSON.stringify({
      jsonrpc: "2.0",
      method: "tools/call",
      params: { name: "chat", arguments: { messages: [{ role: "user", content: question }], stream: true } },
      id: question,
    }),
  })
  let text = ""
  const read = async (): Promise<void> => {
    for await (const event of eventsOf(response)) {
      if (event === "[DONE]") return
      text += JSON.parse(event).result.chunk
      if (isCancelled(question)) return controller.abort()
    }
  }
  await read().catch((error: unknown) => {
    if (!controller.signal.aborted) throw error
  })
  return { question, cancelled: isCancelled(question), text }
}

async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  let buffered = ""
  for await (const bytes of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (buffered + bytes).split("\n\n")
    buffered = events.pop() ?? ""
    yield* events.map((event) => event.replace(/^data: /, ""))
  }
}

async function expectAllHeard({ adapter, work }: Crowded, heard: readonly Heard[]): Promise<void> {
  for (const { question, cancelled, text } of heard) {
    if (cancelled) expect(answerOf(question, text.length).startsWith(text)).toBe(true)
    else expect(text).toBe(answerOf(question, CHUNKS))
  }
  // Cancelled calls end a little later.
  while ([...work.values()].some(({ ended }) => !ended)) await new Promise((resolve) => setImmediate(resolve))
  const all = [...work.values()]
  expect(all).toHaveLength(1_000)
  expect(all.filter(({ inVain }) => inVain > 1)).toEqual([])
  expect(heard.filter(({ cancelled }) => cancelled)).toHaveLength(100)
  const { call, stuck, timer, stream } = adapter.ledger.counts()
  // One timer serves all open streams.
  expect({ call, stuck, timer }).toEqual({ call: 0, stuck: 0, timer: Math.min(stream, 1) })
}

/** Counts the conversations that can be continued. Counting adds none. */
async function countKept({ adapter }: Crowded, heard: readonly Heard[]): Promise<number> {
  let kept = 0
  for (const [id, conversation] of heard.flatMap(({ conversation }) => (conversation ? [conversation] : []))) {
    const messages = [{ role: "user", content: "again" }]
    const answer = await adapter.call("chat", { messages, conversation, stream: false }, { principal: { id } })
    if (answer.kind === "settled" && answer.outcome.ok) kept += 1
    else expect(answer).toMatchObject({ outcome: { code: "unknown_conversation" } })
  }
  return kept
}
