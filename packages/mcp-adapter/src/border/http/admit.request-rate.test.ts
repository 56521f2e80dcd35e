import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Diagnostic } from "../../runtime/diagnostic.js"
import { createRequestRate } from "./admit.js"

describe("createRequestRate", () => {
  it("admits a burst, then refuses with the time to wait, and tells the operator", () => {
    const reported: Diagnostic[] = []
    const count = createRequestRate({ burst: 2, perSecond: 0.01 }, (_, diagnostic) => reported.push(diagnostic))

    expect([count("ann"), count("ann")]).toEqual([undefined, undefined])
    const answer = count("ann")

    expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "100" } })
    expect(reported).toMatchObject([{ code: "rate_limit" }])
  })

  it("asks for a wait of at least a second even if the bucket refills during the refusal", () => {
    let now = 0
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now++)
    onTestFinished(() => clock.mockRestore())
    // One token takes 1.5 ms: the first look at the clock finds no token, the second finds one.
    const count = createRequestRate({ burst: 1, perSecond: 1_000 / 1.5 }, () => {})
    count("ann")

    const answer = count("ann")

    expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "1" } })
    expect(JSON.stringify(answer)).not.toContain(" 0 s")
  })

  it("counts each client alone", () => {
    const count = createRequestRate({ burst: 1, perSecond: 0.01 }, () => {})

    count("ann")

    expect([count("ann")?.status, count("bob")?.status]).toEqual([429, undefined])
  })

  it("forgets the client that was silent longest when there are too many", () => {
    const count = createRequestRate({ burst: 1, perSecond: 0.01 }, () => {})

    count("ann")
    for (let index = 0; index < 9_999; index += 1) count(`client ${index}`)
    expect(count("ann")?.status).toBe(429)
    for (let index = 0; index < 10_000; index += 1) count(`other client ${index}`)

    expect(count("ann")).toBeUndefined()
  })
})
