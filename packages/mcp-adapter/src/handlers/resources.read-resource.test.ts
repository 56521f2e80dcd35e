import { createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer, modern } from "./answer.fixture.js"

const uri = "agentic://board/it"

/** Creates a board with one state. */
const boardWith = (it: ReturnType<typeof state>) => createAgenticService({ name: "board", states: { it } })

describe("createReadResource", () => {
  it("reads a value as JSON", async () => {
    const { request } = answer(boardWith(state({ schema: {}, value: new BehaviorSubject({ n: 1n }) })))

    expect(await request("resources/read", { uri })).toEqual({
      contents: [{ uri, mimeType: "application/json", text: '{"n":"1"}' }],
    })
  })

  it("reads the newest value within the task of its emission", async () => {
    const value = new BehaviorSubject(1)
    const { request, view } = answer(boardWith(state({ schema: { type: "number" }, value })))
    await view.ready()

    value.next(2)

    expect(await request("resources/read", { uri })).toMatchObject({ contents: [{ text: "2" }] })
  })

  it("reads text of another media type unchanged", async () => {
    const { request } = answer(boardWith(state({ mediaType: "text/markdown", value: "# Hi" })))

    expect(await request("resources/read", { uri })).toEqual({
      contents: [{ uri, mimeType: "text/markdown", text: "# Hi" }],
    })
  })

  it("reads bytes as base64 [resource-blob]", async () => {
    const { request } = answer(boardWith(state({ mediaType: "image/png", value: new Uint8Array([1, 2]) })))

    expect(await request("resources/read", { uri })).toEqual({
      contents: [{ uri, mimeType: "image/png", blob: "AQI=" }],
    })
  })

  it("answers hidden and unknown states alike, with each era's code [resource-unknown, no-legacy-codes]", async () => {
    const when = new BehaviorSubject(true)
    const { request } = answer(boardWith(state({ schema: {}, value: 1, when })))
    const other = "agentic://board/other"
    when.next(false)

    for (const missing of [uri, other]) {
      const data = { uri: missing }
      const message = "resource not found"
      await expect(request("resources/read", data)).rejects.toMatchObject({ code: -32002, message, data })
      await expect(request("resources/read", data, modern)).rejects.toMatchObject({ code: -32602, message, data })
    }
  })

  it("rejects a request without a URI", async () => {
    const { request } = answer(boardWith(state({ schema: {}, value: 1 })))

    await expect(request("resources/read", {})).rejects.toMatchObject({ code: -32602 })
  })

  it("gives cache hints to the modern era [cache-hints]", async () => {
    const { request } = answer(boardWith(state({ schema: {}, value: 1 })))

    expect(await request("resources/read", { uri }, modern)).toMatchObject({ ttlMs: 0, cacheScope: "private" })
  })
})
