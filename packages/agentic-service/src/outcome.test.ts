import { describe, expect, it } from "vitest"
import { action, type Block, content, createAgenticService, fail } from "./index.js"

const block: Block = { type: "text", text: "look" }

function run(execute: () => object): Promise<object> {
  const service = createAgenticService({ name: "x", actions: { go: action({ description: "Go", execute }) } })
  return service.execute("go", {})
}

describe("fail", () => {
  it("carries blocks, data and metadata to the caller", async () => {
    const options = { code: "full", content: [block], structured: { left: 0 }, meta: { "board/id": 7 } }

    expect(await run(() => fail("the board is full", options))).toEqual({
      ok: false,
      message: "the board is full",
      ...options,
    })
  })

  it("leaves out missing options", async () => {
    expect(await run(() => fail("no"))).toEqual({ ok: false, message: "no", code: "action_failed" })
  })
})

describe("content", () => {
  it("carries blocks and metadata beside the value", async () => {
    expect(await run(() => content({ id: 1 }, [block], { meta: { "board/id": 7 } }))).toEqual({
      ok: true,
      value: { id: 1 },
      content: [block],
      meta: { "board/id": 7 },
    })
  })
})
