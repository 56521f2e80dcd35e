import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { createFetchHandler } from "../src/border/fetch.js"
import { toInitialize, toRequest } from "../src/border/http/requests.fixture.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { introduce, readAnswer, readMessages, serveWire } from "./support/wire.js"

const URI = "agentic://board/count"
const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

describe("basic/lifecycle over HTTP (2025-11-25)", () => {
  it.each(versions)("accepts the requested version %s [initialize-echo]", async (version) => {
    const { open } = await serveWire()

    expect((await open(version)).initialized).toMatchObject({ id: 0, result: { protocolVersion: version } })
  })

  it("offers its latest version for an unsupported one [initialize-offer]", async () => {
    const { post } = await serveWire()

    expect(await readAnswer(post({ id: 0, method: "initialize", params: introduce("1999-01-01") }))).toMatchObject({
      status: 200,
      result: { protocolVersion: "2025-11-25" },
    })
  })

  it("introduces itself [initialize-result]", async () => {
    const { open } = await serveWire({}, { instructions: "Look first." })

    expect((await open()).initialized.result).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } },
      serverInfo: { name: "board", version: "0.0.0" },
      instructions: "Look first.",
    })
  })

  it("answers a ping with an empty object [ping]", async () => {
    const { open } = await serveWire()
    const { send } = await open()

    expect((await readAnswer(send({ id: 1, method: "ping" }))).result).toEqual({})
  })

  it("knows no method that it does not announce [negotiated-only]", async () => {
    const { open } = await serveWire()
    const { send } = await open()

    expect(await readAnswer(send({ id: 1, method: "prompts/get" }))).toMatchObject({ error: { code: -32601 } })
  })
})

describe("basic/transports (2025-11-25)", () => {
  it("accepts notifications and answers with 202, and nothing else [legacy-202]", async () => {
    const { open } = await serveWire()
    const { send } = await open()

    const response = await send({ method: "notifications/roots/list_changed" })

    expect(response.status).toBe(202)
    expect(await response.text()).toBe("")
  })

  it("accepts an answer to a request that it never sent with 202 [legacy-202]", async () => {
    const { open } = await serveWire()
    const { send } = await open()

    expect((await send({ id: 99, result: {} })).status).toBe(202)
  })

  it("accepts a batch, as in 2025-03-26 [batch]", async () => {
    const { open } = await serveWire()
    const { send } = await open("2025-03-26")
    const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" })

    const answers: unknown = await (await send([ping(1), ping(2)])).json()

    expect(answers).toMatchObject([{ id: 1 }, { id: 2 }])
  })

  it.each(["1999-01-01", "nonsense"])("refuses the version %s in a session [legacy-version-400]", async (version) => {
    const { open } = await serveWire()
    const { send } = await open()
    const headers = { "mcp-protocol-version": version }

    expect((await send({ id: 1, method: "ping" }, { headers })).status).toBe(400)
  })

  it("treats a missing version header as 2025-03-26 [legacy-version-absent]", async () => {
    const { open } = await serveWire()
    const { send } = await open("2025-03-26")
    const headers = { "mcp-protocol-version": undefined }

    expect((await readAnswer(send({ id: 1, method: "ping" }, { headers }))).status).toBe(200)
  })

  it("sends a notice over one stream per client, and answers only over their own [one-stream, get-unrelated]", async () => {
    const { open, url, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const { send, headers } = await open()
    const params = { name: "work", _meta: { progressToken: "w" } }
    const working = readMessages(await send({ id: 1, method: "tools/call", params }))
    const listening = readMessages(await fetch(url, { headers: { ...headers, accept: "text/event-stream" } }))
    await working.next()

    toggle()
    const heard = (await listening.next()).value
    await readAnswer(send({ id: 2, method: "tools/call", params: { name: "finish" } }))
    const worked: unknown[] = []
    for await (const { method, id } of working) worked.push(method ?? id)
    await fetch(url, { method: "DELETE", headers })

    expect(heard).toMatchObject({ method: "notifications/tools/list_changed" })
    expect(worked).toEqual(["notifications/progress", 1])
    expect((await listening.next()).value).toBeUndefined()
  })

  it("does not treat a dropped stream as a cancellation [legacy-drop]", async () => {
    const { handler, session, call, settled } = await openSession()
    const response = await handler.fetch(toRequest("POST", session, call))

    await response.body?.cancel()

    expect(await settled()).toEqual({ aborted: false })
  })

  it("treats notifications/cancelled as a cancellation [cancel-stops]", async () => {
    const { handler, session, call, settled } = await openSession()
    await handler.fetch(toRequest("POST", session, call))

    const params = { requestId: 1 }
    await handler.fetch(toRequest("POST", session, { jsonrpc: "2.0", method: "notifications/cancelled", params }))

    expect(await settled()).toEqual({ aborted: true })
  })

  it("keeps no session for a forbidden origin [legacy-origin]", async () => {
    const { post } = await serveWire()
    const headers = { origin: "https://evil.example" }

    const response = await post({ id: 0, method: "initialize", params: introduce("2025-11-25") }, { headers })

    expect(response.status).toBe(403)
    expect(response.headers.has("mcp-session-id")).toBe(false)
  })
})

describe("server/resources (2025-11-25)", () => {
  it("sends updates of subscribed resources until they are unsubscribed [legacy-subscribe, legacy-unsubscribe]", async () => {
    const { open, url, count, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const { send, headers } = await open()
    const listening = readMessages(await fetch(url, { headers: { ...headers, accept: "text/event-stream" } }))
    const subscribed = await readAnswer(send({ id: 1, method: "resources/subscribe", params: { uri: URI } }))

    count()
    const updated = (await listening.next()).value
    const unsubscribed = await readAnswer(send({ id: 2, method: "resources/unsubscribe", params: { uri: URI } }))
    count()
    toggle()
    const next = (await listening.next()).value

    expect([subscribed.result, unsubscribed.result]).toEqual([{}, {}])
    expect(updated).toMatchObject({ method: "notifications/resources/updated", params: { uri: URI } })
    expect(next).toMatchObject({ method: "notifications/tools/list_changed" })
  })

  it("answers an error for a missing resource, and names it [no-empty-contents]", async () => {
    const { open } = await serveWire()
    const { send } = await open()
    const params = { uri: "agentic://board/nothing" }

    expect(await readAnswer(send({ id: 1, method: "resources/read", params }))).toMatchObject({
      error: { code: -32002, data: params },
    })
  })
})

/** Opens a session with a call that ends when aborted, or when asked whether it was. */
async function openSession() {
  let ask = () => {}
  let signalOf: AbortSignal | undefined
  const running = new Promise<void>((resolve) => {
    ask = resolve
  })
  const wait = action({
    description: "waits",
    async execute(_, { signal, progress }) {
      signalOf = signal
      progress({ progress: 1 })
      await Promise.race([running, new Promise((resolve) => signal.addEventListener("abort", resolve))])
    },
  })
  const adapter = createMcpAdapter(createAgenticService({ name: "test", actions: { wait } }))
  const handler = createFetchHandler(adapter)
  const opened = await handler.fetch(toInitialize())
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }
  await opened.text()
  const params = { name: "wait", _meta: { progressToken: "w" } }
  const over = new Promise((resolve) => {
    adapter.events.subscribe(({ type }) => type === "call-settled" && resolve(undefined))
  })
  const settled = async () => {
    if (signalOf?.aborted === false) ask()
    await over
    await handler.close()
    adapter.close()
    return { aborted: signalOf?.aborted }
  }
  return { handler, session, settled, call: { jsonrpc: "2.0", id: 1, method: "tools/call", params } }
}
