import { describe, expect, it } from "vitest"
import { createAddressOf, createAdmit } from "./admit.js"
import { apiKeys } from "./auth.js"
import { toRequest } from "./requests.fixture.js"

const keys = new Map([["key", { id: "ann" }]])

describe("createAdmit", () => {
  it("refuses an unknown caller without reading the body", async () => {
    const request = toRequest("POST", {}, "{")
    const admitted = await createAdmit({ authenticate: apiKeys(keys) }, () => {})(request, {})

    expect(admitted).toMatchObject({ ok: false, answer: { status: 401 } })
    expect(request.bodyUsed).toBe(false)
  })

  it("reports a refused caller by address and status, never with its credentials", async () => {
    const told: unknown[] = []
    const admit = createAdmit({ authenticate: apiKeys(keys) }, (client, diagnostic) => told.push([client, diagnostic]))

    await admit(toRequest("POST", { "x-api-key": "hunter2" }), { remoteAddress: "10.0.0.7" })

    const message = '"authenticate" refused a request from "10.0.0.7" with 401'
    expect(told).toEqual([["10.0.0.7", { code: "auth_refused", message }]])
  })

  it("accepts a host's own response object, and does not report one that is not a refusal", async () => {
    const told: unknown[] = []
    const headers = { "x-own": "1" }
    const admit = createAdmit({ authenticate: () => new Response("{}", { headers }) }, (client) => told.push(client))

    const admitted = await admit(toRequest("GET"), {})

    expect(admitted).toMatchObject({ ok: false, answer: { status: 200, headers } })
    expect(told).toEqual([])
  })

  it("does not call `principal` if there is `authenticate`", async () => {
    const options = { authenticate: apiKeys(keys), principal: () => ({ id: "everybody" }) }
    const admitted = await createAdmit(options, () => {})(toRequest("POST", { "x-api-key": "key" }), {})

    expect(admitted).toEqual({ ok: true, principal: { id: "ann" }, client: "ann" })
  })

  it("returns the end of an admission and the function that checks it again", async () => {
    const admission = { principal: { id: "ann" }, expires: new Date(), holds: () => true }
    const admitted = await createAdmit({ authenticate: () => admission }, () => {})(toRequest("POST"), {})

    expect(admitted).toEqual({ ok: true, client: "ann", ...admission })
  })

  it("counts a principal's requests from any address, and no refused request", async () => {
    const requestRate = { burst: 1, perSecond: 0.01 }
    const admit = createAdmit({ authenticate: apiKeys(keys), requestRate }, () => {})
    const known = toRequest("POST", { "x-api-key": "key" })
    const statuses: unknown[] = []

    for (const request of [toRequest("POST"), toRequest("POST"), known, known]) {
      const admitted = await admit(request, { remoteAddress: String(statuses.length) })
      statuses.push(admitted.ok || admitted.answer.status)
    }

    expect(statuses).toEqual([401, 401, true, 429])
  })

  it("admits any number of requests without a rate", async () => {
    const admit = createAdmit({ requestRate: false }, () => {})

    for (let index = 0; index < 3_000; index += 1)
      expect(await admit(toRequest("POST"), {})).toMatchObject({ ok: true })
  })
})

describe("createAddressOf", () => {
  const from = (trusted: readonly string[], remoteAddress?: string, forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
    return createAddressOf(trusted)(toRequest("POST", headers), { remoteAddress })
  }

  it("uses the connection's address if the peer is not a trusted proxy", () => {
    expect(from([], "192.0.2.1", "198.51.100.7")).toBe("192.0.2.1")
    expect(from(["10.0.0.0/8"], "192.0.2.1", "198.51.100.7")).toBe("192.0.2.1")
    expect(from([])).toBe("anonymous")
  })

  it.each([
    ["198.51.100.7", "198.51.100.7"],
    ["203.0.113.9, 198.51.100.7", "198.51.100.7"],
    ["203.0.113.9, 198.51.100.7, 10.1.2.3", "198.51.100.7"],
    ["198.51.100.7:4711", "198.51.100.7"],
    ["[2001:db8:1:2:3:4:5:6]:4711", "2001:db8:1:2::/64"],
    ["nonsense, 10.1.2.3", "10.1.2.3"],
    [undefined, "10.0.0.1"],
  ])("takes, from a proxy it trusts, of %j the last that is no proxy: %s", (forwarded, address) => {
    expect(from(["10.0.0.0/8"], "10.0.0.1", forwarded)).toBe(address)
  })

  it("recognises any spelling of a proxy's address", () => {
    expect(from(["127.0.0.1"], "::ffff:127.0.0.1", "198.51.100.7")).toBe("198.51.100.7")
    expect(from(["::1"], "0:0:0:0:0:0:0:1", "198.51.100.7")).toBe("198.51.100.7")
  })

  it("counts an IPv6 network as one client, and an IPv4-mapped address as itself", () => {
    expect(from([], "2001:db8:1:2:3:4:5:6")).toBe(from([], "2001:db8:1:2:aaaa::1"))
    expect(from([], "2001:db8:1:3::1")).not.toBe(from([], "2001:db8:1:2::1"))
    expect(from([], "::ffff:192.0.2.1")).toBe("192.0.2.1")
    expect(from([], "::1")).toBe("::1")
  })

  it.each(["loopback", "10.0.0.0/99", ""])("refuses the invalid proxy %j and quotes it", (proxy) => {
    expect(() => createAddressOf([proxy])).toThrow(/"trustedProxies"/)
  })
})
