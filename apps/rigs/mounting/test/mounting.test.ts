import { filter, firstValueFrom } from "rxjs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { serveWithExpress } from "../src/express.js"
import { serveWithExpress4 } from "../src/express-4.js"
import { serveWithFastify } from "../src/fastify.js"
import { serveWithHono } from "../src/hono.js"
import { serveWithKoa } from "../src/koa.js"
import { serveWithNest } from "../src/nest.js"
import { serveWithNode } from "../src/node.js"
import { itServes } from "./it-serves.js"
import { type Mounted, mount } from "./mount.js"

const NOTES = "agentic://notes/notes"
const examples = {
  Express: serveWithExpress,
  "Express 4": serveWithExpress4,
  Fastify: serveWithFastify,
  Hono: serveWithHono,
  Koa: serveWithKoa,
  Nest: serveWithNest,
  Node: serveWithNode,
}

describe.each(Object.entries(examples))("%s", (_, serve) => {
  let mounted: Mounted
  beforeAll(async () => {
    mounted = await mount(serve)
  })
  afterAll(async () => {
    await mounted.close()
    expect(Object.values(mounted.adapter.ledger.counts()).filter((count) => count > 0)).toEqual([])
  })

  itServes(() => mounted)

  it.each(["legacy", "modern"] as const)("tells a %s client of a change at once", async (era) => {
    const client = await mounted.connect(era)
    const told = new Promise((resolve) => {
      client.setNotificationHandler("notifications/resources/updated", resolve)
    })
    if (era === "modern") await client.listen({ resourceSubscriptions: [NOTES] })
    else await client.subscribeResource({ uri: NOTES })

    await client.callTool({ name: "add", arguments: { text: "bread" } })

    expect(await told).toMatchObject({ params: { uri: NOTES } })
  })

  it("aborts the call of a modern client that leaves", async () => {
    const client = await mounted.connect("modern")
    const { events } = mounted.adapter
    const started = firstValueFrom(
      events.pipe(filter((event) => event.type === "call-started" && event.name === "follow")),
    )
    const settled = firstValueFrom(
      events.pipe(filter((event) => event.type === "call-settled" && event.name === "follow")),
    )
    const leave = new AbortController()
    const call = client.callTool({ name: "follow" }, { signal: leave.signal })

    expect(await started).toMatchObject({ client: "127.0.0.1" })
    leave.abort()

    await expect(call).rejects.toThrow()
    expect(await settled).toMatchObject({ outcome: { ok: false } })
  })

  it("takes a body that is larger than frameworks take", async () => {
    const client = await mounted.connect("modern")
    const text = "x".repeat(3 * 2 ** 20)

    expect(await client.callTool({ name: "add", arguments: { text } })).not.toHaveProperty("isError")
  })

  it("leaves the application's own routes alone", async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(`${mounted.url}/echo`, { method: "POST", headers, body: '{"hello":1}' })

    expect(await response.json()).toEqual({ hello: 1 })
  })
})

// Fastify parses bodies itself, and rejects them with its own messages.
describe.each(Object.entries(examples).filter(([name]) => name !== "Fastify"))("%s", (_, serve) => {
  it.each(["{", `"${"x".repeat(5 * 2 ** 20)}"`])("refuses a body in MCP's words", async (body) => {
    const mounted = await mount(serve)

    expect(await (await mounted.post(body)).json()).toMatchObject({ jsonrpc: "2.0", error: {}, id: null })

    await mounted.close()
  })
})
