import { createAgenticService, state } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { answer } from "./answer.fixture.js"

describe("createCountStates", () => {
  it("counts the states that the caller may see", async () => {
    const one = state({ schema: {}, value: 1 })
    const service = createAgenticService({ name: "board", states: { open: one, secret: one } })
    const { request } = answer(service, { allow: (entry) => entry.kind !== "state" || entry.key !== "secret" })
    const all = answer(createAgenticService({ name: "board", states: { open: one, other: one } }))

    expect(await request("states/count")).toEqual({ count: 1 })
    expect(await all.request("states/count")).toEqual({ count: 2 })
  })
})
