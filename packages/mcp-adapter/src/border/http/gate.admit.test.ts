import { describe, expect, it } from "vitest"
import { apiKeys } from "./auth.js"
import { createAdmit } from "./gate.js"
import { toRequest } from "./requests.fixture.js"

const keys = new Map([["key", { id: "ann" }]])

describe("createAdmit", () => {
  it("refuses a stranger without a look at the body", async () => {
    const request = toRequest("POST", {}, "{")
    const admitted = await createAdmit({ authenticate: apiKeys(keys) }, () => {})(request, {})

    expect(admitted).toMatchObject({ ok: false, response: { status: 401 } })
    expect(request.bodyUsed).toBe(false)
  })

  it("tells the operator of a stranger: from where and with which status, never with what", async () => {
    const told: unknown[] = []
    const admit = createAdmit({ authenticate: apiKeys(keys) }, (client, diagnostic) => told.push([client, diagnostic]))

    await admit(toRequest("POST", { "x-api-key": "hunter2" }), { remoteAddress: "10.0.0.7" })

    const message = '"authenticate" refused a request from "10.0.0.7" with 401'
    expect(told).toEqual([["10.0.0.7", { code: "auth_refused", message }]])
  })

  it("tells nothing of a document that anybody may read", async () => {
    const told: unknown[] = []
    const admit = createAdmit({ authenticate: () => new Response("{}") }, (client) => told.push(client))

    await admit(toRequest("GET"), {})

    expect(told).toEqual([])
  })

  it("does not ask `principal` where there is `authenticate`", async () => {
    const options = { authenticate: apiKeys(keys), principal: () => ({ id: "everybody" }) }
    const admitted = await createAdmit(options, () => {})(toRequest("POST", { "x-api-key": "key" }), {})

    expect(admitted).toEqual({ ok: true, principal: { id: "ann" } })
  })

  it("counts a principal's requests wherever they come from, and a stranger's not at all", async () => {
    const requestRate = { burst: 1, perSecond: 0.01 }
    const admit = createAdmit({ authenticate: apiKeys(keys), requestRate }, () => {})
    const known = toRequest("POST", { "x-api-key": "key" })
    const statuses: unknown[] = []

    for (const request of [toRequest("POST"), toRequest("POST"), known, known]) {
      const admitted = await admit(request, { remoteAddress: String(statuses.length) })
      statuses.push(admitted.ok || admitted.response.status)
    }

    expect(statuses).toEqual([401, 401, true, 429])
  })

  it("takes any number of requests where it is told to", async () => {
    const admit = createAdmit({ requestRate: false }, () => {})

    for (let index = 0; index < 3_000; index += 1)
      expect(await admit(toRequest("POST"), {})).toMatchObject({ ok: true })
  })
})
