import { type Action, action, content, createAgenticService, fail } from "@x/agentic-service"
import type { NoStreamAndTextOnlyWithOutput } from "@x/agentic-service/adapter"
import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer } from "./answer.fixture.js"
import { INVALID_PARAMS, type Result } from "./handler.js"

/** Calls an action that runs `execute`. */
function callOf(execute: () => NoStreamAndTextOnlyWithOutput): Promise<Result> {
  const run = action({ description: "Run", execute })
  return answer(createAgenticService({ name: "board", actions: { run } })).request("tools/call", { name: "run" })
}

describe("createCallTool", () => {
  it("answers a value as JSON text", async () => {
    expect(await callOf(() => ({ id: 1 }))).toEqual({ content: [{ type: "text", text: '{"id":1}' }] })
  })

  it("answers an empty result with the text `done` [result-content]", async () => {
    expect(await callOf(() => {})).toEqual({ content: [{ type: "text", text: "done" }] })
  })

  it("answers an object with an output schema as structure and as the same text [structured-text]", async () => {
    const output = { type: "object", properties: { id: { type: "number" } } } as const
    const run = action({ description: "Run", output, execute: () => ({ id: 1 }) })
    const { request } = answer(createAgenticService({ name: "board", actions: { run } }))

    expect(await request("tools/call", { name: "run" })).toEqual({
      content: [{ type: "text", text: '{"id":1}' }],
      structuredContent: { id: 1 },
    })
  })

  it("wraps a non-object value as its published schema does [structured-object, tool-output-object]", async () => {
    const run = action({ description: "Run", output: { type: "string" }, execute: () => "hello" })
    const { request } = answer(createAgenticService({ name: "board", actions: { run } }))

    expect(await request("tools/call", { name: "run" })).toEqual({
      content: [{ type: "text", text: '{"result":"hello"}' }],
      structuredContent: { result: "hello" },
    })
  })

  it("shows blocks beside the value, and adds a text when the blocks have none", async () => {
    const image = { type: "image", data: new Uint8Array([1]), mimeType: "image/png" } as const

    expect(await callOf(() => content({ id: 1 }, [image]))).toEqual({
      content: [
        { type: "text", text: '{"id":1}' },
        { type: "image", data: "AQ==", mimeType: "image/png" },
      ],
    })
    expect(await callOf(() => content(undefined, [image]))).toMatchObject({
      content: [{ type: "text", text: "done" }, { type: "image" }],
    })
  })

  it("treats an empty text as missing", async () => {
    expect(await callOf(() => content(undefined, [{ type: "text", text: "" }]))).toMatchObject({
      content: [{ type: "text", text: "done" }],
    })
  })

  it("answers a failure with its code and the next step [tool-error]", async () => {
    expect(await callOf(() => fail("no room", { code: "full", recovery: "delete a card" }))).toEqual({
      content: [{ type: "text", text: "no room (full)\ndelete a card" }],
      isError: true,
    })
  })

  it("answers a failure with its blocks, and its data as text and structure", async () => {
    const picture = { type: "image", data: new Uint8Array([1]), mimeType: "image/png" } as const

    const result = await callOf(() => fail("no room", { content: [picture], structured: { free: 0 } }))

    expect(result).toEqual({
      content: [
        { type: "text", text: "no room" },
        { type: "text", text: '\n{"free":0}' },
        { type: "image", data: "AQ==", mimeType: "image/png" },
      ],
      structuredContent: { free: 0 },
      isError: true,
    })
  })

  it("wraps a failure's non-object data", async () => {
    expect(await callOf(() => fail("no room", { structured: [1] }))).toMatchObject({
      structuredContent: { result: [1] },
    })
  })

  it.each<[string, () => NoStreamAndTextOnlyWithOutput]>([
    ["a success", () => content({ id: 1 }, [], { meta: { "com.example/cost": 2n } })],
    ["a failure", () => fail("no", { meta: { "com.example/cost": 2n } })],
  ])("says what the author of %s says to programs beside the result", async (_, execute) => {
    const { content: read, _meta } = await callOf(execute)

    expect(_meta).toEqual({ "com.example/cost": "2" })
    expect(JSON.stringify(read)).not.toContain("cost")
  })

  it("drops metadata that is reserved for the protocol", async () => {
    const meta = { "io.modelcontextprotocol/serverInfo": {}, "dev.MCP.api/a": 1, "com.example/mcp": 2, mcp: 3 }

    expect(await callOf(() => content(1, [], { meta }))).toMatchObject({ _meta: { "com.example/mcp": 2, mcp: 3 } })
    expect((await callOf(() => content(1, [], { meta })))["_meta"]).not.toHaveProperty(["dev.MCP.api/a"])
  })

  it.each<[string, () => unknown]>([
    ["a BigInt", () => 10n],
    ["NaN", () => Number.NaN],
    ["a symbol", () => Symbol("s")],
    ["a function", () => () => {}],
    ["a Map", () => new Map([["a", 1]])],
    ["bytes", () => new Uint8Array([1, 2])],
    ["an empty string", () => ""],
    ["null", () => null],
    ["a date that is none", () => new Date(Number.NaN)],
    ["something circular", circular],
    [
      "something that throws when it is read",
      () => ({
        get a() {
          throw new Error("secret")
        },
      }),
    ],
    ["lone surrogates", () => "\ud800"],
    ["an error", () => new Error("boom")],
    ["a very deep array", deep],
  ])("answers %s with some text", async (_, make) => {
    const { request } = answer(returning(make))

    for (const name of ["plain", "promised"]) {
      const result = await request("tools/call", { name })

      expect(result).toMatchObject({ content: [{ type: "text", text: expect.stringMatching(/./) }] })
      expect(JSON.stringify(result)).not.toContain("secret")
    }
  })

  it("gives structured content for any unusual value with an output schema [structured-object]", async () => {
    const { request } = answer(returning(circular))

    expect(await request("tools/call", { name: "promised" })).toMatchObject({ structuredContent: expect.anything() })
  })

  it("treats missing arguments as an empty object", async () => {
    expect(await callOf(() => ({ ok: true }))).not.toHaveProperty("isError")
  })

  it("rejects a name that never existed [tool-unknown]", async () => {
    const { request } = answer(createAgenticService({ name: "board" }))

    await expect(request("tools/call", { name: "nope" })).rejects.toMatchObject({
      code: INVALID_PARAMS,
      message: 'unknown tool "nope"',
    })
  })

  it.each([{}, { name: 1 }, { name: "run", arguments: [] }, { name: "run", arguments: null }])(
    "refuses parameters %j",
    async (params) => {
      const { request } = answer(createAgenticService({ name: "board" }))

      await expect(request("tools/call", params)).rejects.toMatchObject({ code: INVALID_PARAMS })
    },
  )
})

/** Creates a service written by hand whose actions return what `make` creates; `promised` has an output schema. */
function returning(make: () => unknown) {
  const plain: Action = {
    description: "Run",
    schema: undefined,
    hints: {},
    check: (input) => ({ ok: true, input }),
    execute: async () => ({ ok: true, value: make() }),
  }
  const promised: Action = { ...plain, output: { type: "object" } }
  return { ...createAgenticService({ name: "hand" }), actions: of({ plain, promised }) }
}

function circular(): unknown {
  const loop: { self?: unknown } = {}
  loop.self = loop
  return loop
}

function deep(): unknown {
  let value: unknown = 1
  for (let level = 0; level < 20_000; level += 1) value = [value]
  return value
}
