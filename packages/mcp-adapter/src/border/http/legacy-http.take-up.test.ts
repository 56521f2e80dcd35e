import { Client } from "@modelcontextprotocol/client"
import { createMemoryRecords } from "@x/records"
import { describe, expect, it, onTestFinished } from "vitest"
import { createHttpTransport } from "../../../test/support/connect.js"
import { readAnswer, readMessages, serveWire } from "../../../test/support/wire.js"
import { type HttpOptions, serveHttp } from "../http.js"

const list = { id: 7, method: "tools/list" }

/** Starts a server without its predecessor's sessions. */
async function restarted(options: HttpOptions = { takeUpSessions: true }) {
  const before = await serveWire(options)
  const session = await before.open()
  const after = await serveWire(options)
  return { before, after, session, headers: session.headers }
}

describe("a session opened before a restart", () => {
  it("continues under its id", async () => {
    const { after, headers } = await restarted()

    const answer = await readAnswer(after.post(list, { headers }))

    expect(answer).toMatchObject({ status: 200, id: 7, result: { tools: expect.anything() } })
    expect(after.adapter.ledger.counts().session).toBe(1)
  })

  it("is taken up even if its client had ended it", async () => {
    const { before, after, headers } = await restarted()
    await fetch(before.url, { method: "DELETE", headers })

    const [there, here] = [before, after].map((server) => readAnswer(server.post(list, { headers })))

    expect([(await there)?.status, (await here)?.status]).toEqual([404, 200])
  })

  it("is not taken up, in any process, if its client had ended it and they share a store", async () => {
    const { before, after, headers } = await restarted({ takeUpSessions: true, endedSessions: createMemoryRecords() })
    const ended = await fetch(before.url, { method: "DELETE", headers })

    const answered = await readAnswer(after.post(list, { headers }))

    expect([ended.status, answered.status]).toEqual([200, 404])
  })

  it("is taken up if it was lost and a store is shared", async () => {
    const { after, headers } = await restarted({ takeUpSessions: true, endedSessions: createMemoryRecords() })

    expect((await readAnswer(after.post(list, { headers }))).status).toBe(200)
  })

  it("is neither ended nor taken up while the store of ended sessions fails", async () => {
    const endedSessions = createMemoryRecords()
    const { before, after, session, headers } = await restarted({ takeUpSessions: true, endedSessions })
    const reported: string[] = []
    for (const { adapter } of [before, after]) {
      adapter.events.subscribe((event) => event.type === "diagnostic" && reported.push(event.diagnostic.code))
    }
    await endedSessions.close()

    const ended = await fetch(before.url, { method: "DELETE", headers })
    const [there, here] = [await readAnswer(session.send(list)), await readAnswer(after.post(list, { headers }))]

    expect([ended.status, ended.headers.get("retry-after"), there.status, here.status]).toEqual([503, "1", 200, 404])
    expect(reported).toEqual(["records_unavailable", "records_unavailable"])
  })

  it("is taken up once, however many requests carry its id at once", async () => {
    const { after, headers } = await restarted()

    const answers = await Promise.all([1, 2, 3].map((id) => readAnswer(after.post({ ...list, id }, { headers }))))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(after.adapter.ledger.counts().session).toBe(1)
  })

  it("is told that the lists have changed once it listens", async () => {
    const { after, headers } = await restarted()

    const stream = await fetch(after.url, { headers: { accept: "text/event-stream", ...headers } })
    const heard = readMessages(stream)

    expect([(await heard.next()).value, (await heard.next()).value]).toMatchObject([
      { method: "notifications/tools/list_changed" },
      { method: "notifications/resources/list_changed" },
    ])
    await heard.return(undefined)
  })

  it("is not taken up without the option", async () => {
    const { after, headers } = await restarted({})

    expect(await readAnswer(after.post(list, { headers }))).toMatchObject({ status: 404, error: { code: -32001 } })
  })

  it.each<[string, Record<string, string | undefined>]>([
    ["its client does not name its revision", { "mcp-protocol-version": undefined }],
    ["its client names one that is not spoken", { "mcp-protocol-version": "2020-01-01" }],
    ["its id is none of ours", { "mcp-session-id": "my-own" }],
  ])("is not taken up where %s", async (_, other) => {
    const { after, headers } = await restarted()

    const { status } = await readAnswer(after.post(list, { headers: { ...headers, ...other } }))

    expect([404, 400]).toContain(status)
    expect(after.adapter.ledger.counts().session).toBe(0)
  })

  it("is not taken up for a DELETE or for an answer to the old server", async () => {
    const { after, headers } = await restarted()

    const ended = await fetch(after.url, { method: "DELETE", headers })
    const answered = await after.post({ id: 1, result: {} }, { headers })

    expect([ended.status, answered.status]).toEqual([404, 404])
  })

  it("is not taken up once its client has ended it", async () => {
    const { before, session, headers } = await restarted()
    await fetch(before.url, { method: "DELETE", headers })

    expect((await readAnswer(session.send(list))).status).toBe(404)
  })

  it("is usable only by its caller", async () => {
    const principal: HttpOptions["principal"] = ({ headers }) => ({ id: headers.get("x-who") ?? "" })
    const { after, headers } = await restarted({ takeUpSessions: true, principal })
    const as = (who: string) => readAnswer(after.post(list, { headers: { ...headers, "x-who": who } }))

    expect([(await as("bob")).status, (await as("ann")).status, (await as("bob")).status]).toEqual([200, 404, 200])
  })

  it("lets an SDK client continue, and hear of changes, after a restart on the same port", async () => {
    const first = await serveWire({ takeUpSessions: true })
    const { transport, streaming } = createHttpTransport(first.url)
    const client = new Client({ name: "test", version: "0" })
    await client.connect(transport)
    await streaming
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })
    const port = Number(new URL(first.url).port)
    await first.close()
    const next = await serveHttp(first.adapter, { port, takeUpSessions: true })
    onTestFinished(() => next.close())

    await told

    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
  })
})
