import { describe, expect, it } from "vitest"
import type { Diagnostic } from "../../runtime/diagnostic.js"
import { createListenLimit } from "./limits.js"

describe("createListenLimit", () => {
  it("gives a client as many as it may have, and another when one has ended", () => {
    const reported: Diagnostic[] = []
    const { take } = createListenLimit({ maxListens: 1 }, (_, diagnostic) => reported.push(diagnostic))
    const end = take("ann")

    expect(take("ann")).toMatchObject({ status: 429 })
    expect(take("bob")).toBeTypeOf("function")
    if (typeof end === "function") end()

    expect(take("ann")).toBeTypeOf("function")
    expect(reported).toMatchObject([{ code: "listen_limit" }])
  })

  it("gives all of them together no more than there are", () => {
    const reported: Diagnostic[] = []
    const { take } = createListenLimit({ maxTotalListens: 2 }, (_, diagnostic) => reported.push(diagnostic))
    const end = take("ann")
    take("bob")

    expect(take("cid")).toMatchObject({ status: 503 })
    if (typeof end === "function") end()

    expect(take("cid")).toBeTypeOf("function")
    expect(reported).toMatchObject([{ code: "listen_limit" }])
  })

  it("takes one back once", () => {
    const { take } = createListenLimit({ maxTotalListens: 2 }, () => {})
    const end = take("ann")
    take("bob")
    if (typeof end === "function") {
      end()
      end()
    }

    expect([typeof take("cid"), typeof take("dan")]).toEqual(["function", "object"])
  })
})
