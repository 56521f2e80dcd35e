import { describe, expect, it, onTestFinished } from "vitest"
import { createHttpGate, type GateOptions, type Visitor } from "../fetch.js"
import { apiKeys } from "./auth.js"
import { createEmptyAdapter, toRequest } from "./requests.fixture.js"

/** A gate before an endpoint of somebody's own, and what was reported. */
function guarded(options?: GateOptions) {
  const adapter = createEmptyAdapter()
  onTestFinished(adapter.close)
  const diagnostics: unknown[] = []
  adapter.events.subscribe((event) => {
    if (event.type === "diagnostic") diagnostics.push(event.diagnostic)
  })
  return { adapter, gate: createHttpGate(adapter, options), diagnostics }
}

const echo = async ({ readBody, client }: Visitor): Promise<Response> => {
  const read = await readBody()
  return read.ok ? Response.json([client, read.body]) : read.response
}

describe("createHttpGate", () => {
  it("lets in whom it knows, with who it is and what it sent", async () => {
    const { gate } = guarded({ authenticate: apiKeys(new Map([["key-of-ann", { id: "ann" }]])) })

    const response = await gate.answer(toRequest("POST", { "x-api-key": "key-of-ann" }, { a: 1 }), {}, echo)

    expect(await response.json()).toEqual(["ann", { a: 1 }])
  })

  it.each([
    ["another host", { host: "evil.example" }, 403],
    ["another origin", { origin: "https://evil.example" }, 403],
    ["no key", {}, 401],
  ])("refuses %s", async (...[, headers, status]) => {
    const { gate } = guarded({ authenticate: apiKeys(new Map()) })

    expect((await gate.answer(toRequest("POST", headers, {}), {}, echo)).status).toBe(status)
  })

  it.each([
    ["is not JSON", "{", "not valid JSON"],
    ["is too deep", "[[[]]]", "nested deeper than 2"],
    ["is too large", `"${"x".repeat(100)}"`, "must not exceed 100 bytes"],
  ])("tells the operator once a minute that a body %s", async (...[, body, reason]) => {
    const { gate, diagnostics } = guarded({ maxBodyDepth: 2, maxBodyBytes: 100 })

    await gate.answer(toRequest("POST", {}, body), {}, echo)
    await gate.answer(toRequest("POST", {}, body), {}, echo)

    expect(diagnostics).toMatchObject([{ code: "body_refused", message: expect.stringContaining(reason) }])
  })

  it("reports what an endpoint throws, and answers 500 without its words", async () => {
    const { gate, diagnostics } = guarded()

    const response = await gate.answer(toRequest("POST", {}, {}), {}, () => Promise.reject(new Error("hunter2")))

    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("hunter2")])
    expect(diagnostics).toMatchObject([{ code: "handler_failed", cause: { message: "hunter2" } }])
  })

  it("counts an open stream, and knows when none is", async () => {
    const { adapter, gate } = guarded()
    const { readable, writable } = new TransformStream<Uint8Array>()
    const headers = { "content-type": "text/event-stream" }
    const stream = async ({ bound }: Visitor) => bound(new Response(readable, { headers }), () => {})

    const response = await gate.answer(toRequest("POST", {}, {}), {}, stream)
    expect(adapter.ledger.counts().stream).toBe(1)
    await Promise.all([writable.close(), response.text(), gate.idle()])

    expect(adapter.ledger.counts().stream).toBe(0)
  })
})
