import { describe, expect, it } from "vitest"
import type { Diagnostic } from "../../runtime/diagnostic.js"
import { createListenLimit, type ListenLimits } from "./listen-limit.js"

const filter = { kinds: new Set<"tools">(["tools"]), uris: new Set<string>(), tasks: new Set<string>() }

/** Creates a limit and records its reports and ended streams. */
function limited(limits: ListenLimits) {
  const reported: Diagnostic[] = []
  const ended: string[] = []
  const limit = createListenLimit(limits, (_, diagnostic) => reported.push(diagnostic))
  const take = (client: string, uris: readonly string[] = []) =>
    limit.take(client, { ...filter, uris: new Set(uris) }, () => ended.push(client))
  return { take, reported, ended }
}

describe("createListenLimit", () => {
  it("allows each client its limit, and one more after a stream has ended", () => {
    const { take, reported } = limited({ maxListens: 1 })
    const end = take("ann")

    expect(take("ann")).toMatchObject({ status: 429 })
    expect(take("bob")).toBeTypeOf("function")
    if (typeof end === "function") end()

    expect(take("ann")).toBeTypeOf("function")
    expect(reported).toMatchObject([{ code: "listen_limit" }])
  })

  it("limits the streams of all clients together", () => {
    const { take, reported } = limited({ maxTotalListens: 2 })
    const end = take("ann")
    take("bob")

    expect(take("cid")).toMatchObject({ status: 503 })
    if (typeof end === "function") end()

    expect(take("cid")).toBeTypeOf("function")
    expect(reported).toMatchObject([{ code: "listen_limit" }])
  })

  it("ends the oldest stream of the client with the most to make room for one with few", () => {
    const { take, ended } = limited({ maxTotalListens: 4 })
    for (let index = 0; index < 4; index += 1) take("ann")

    expect(take("bob")).toBeTypeOf("function")
    expect(take("bob")).toBeTypeOf("function")
    expect(take("bob")).toMatchObject({ status: 503 })
    expect(ended).toEqual(["ann", "ann"])
  })

  it("limits the size of a client's filters", () => {
    const { take, reported } = limited({})
    const many = Array.from({ length: 100_000 }, (_, index) => `agentic://nobody/knows/${index}`)

    expect(take("ann", many)).toMatchObject({ status: 429 })
    expect(take("ann", many.slice(0, 100))).toBeTypeOf("function")
    expect(reported).toMatchObject([{ code: "listen_limit" }])
  })

  it("uncounts a stream once", () => {
    const { take } = limited({ maxTotalListens: 2 })
    const end = take("ann")
    take("bob")
    if (typeof end === "function") {
      end()
      end()
    }

    expect([typeof take("cid"), typeof take("dan")]).toEqual(["function", "object"])
  })
})
