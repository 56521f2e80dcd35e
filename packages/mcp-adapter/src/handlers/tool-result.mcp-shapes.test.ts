import { action, content, createAgenticService, fail } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { answer } from "./answer.fixture.js"

const uri = "file:///a.txt"
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const png = "iVBORw0KGgo="

/** Calls an action that returns any value, as untyped code may. Returns the answer and the diagnostics. */
async function resultOf(returned: unknown, output?: object) {
  const run = action({ description: "Run", ...(output && { output }), execute: () => returned as object })
  const { request, events } = answer(createAgenticService({ name: "any", actions: { run } }))
  const result = await request("tools/call", { name: "run" })
  expect(JSON.stringify(result)).not.toContain("undefined")
  return { result, told: events.flatMap((event) => (event.type === "diagnostic" ? [event.diagnostic.message] : [])) }
}

const textOf = (words: string) => [{ type: "text", text: words }]

describe("MCP's own result, returned by an author,", () => {
  it.each([
    [{ content: textOf("no money"), isError: true }, "no money"],
    [{ content: textOf("no"), isError: true, structuredContent: { left: 3 } }, "no"],
    [{ content: "no money", isError: true }, "no money"],
    [{ isError: true }, "the action failed"],
    [{ content: [], isError: true }, "the action failed"],
  ])("is a failure with its words where it says so: %j", async (returned, words) => {
    const { result } = await resultOf(returned)

    expect(result["isError"]).toBe(true)
    expect(result["content"]).toContainEqual({ type: "text", text: words })
  })

  it("is a failure even for an action with an output schema", async () => {
    const output = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }
    const { result } = await resultOf({ content: textOf("no money"), isError: true }, output)

    expect(result).toMatchObject({ isError: true, content: textOf("no money") })
  })

  it("is shown block by block", async () => {
    const image = { type: "image", data: png, mimeType: "image/png" }
    const embedded = { type: "resource", resource: { uri, text: "words" } }
    const { result, told } = await resultOf({ content: [...textOf("one"), image, embedded], _meta: { "a/b": 1 } })

    expect(result).toMatchObject({ content: [...textOf("one"), image, embedded], _meta: { "a/b": 1 } })
    expect([result["isError"], told]).toEqual([undefined, []])
  })

  it("uses its structured content as the promised value, checked", async () => {
    const output = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }
    const good = await resultOf({ content: textOf("3"), structuredContent: { sum: 3 } }, output)
    const bad = await resultOf({ content: textOf("3"), structuredContent: { sum: "3" } }, output)

    expect(good.result).toMatchObject({ structuredContent: { sum: 3 } })
    expect(bad.result).toMatchObject({ isError: true })
  })

  it("stays a value when the output schema has such members", async () => {
    const output = { type: "object", properties: { content: { type: "array" }, isError: { type: "boolean" } } }
    const { result } = await resultOf({ content: textOf("x"), isError: true }, output)

    expect(result).toMatchObject({ structuredContent: { content: textOf("x"), isError: true } })
    expect(result["isError"]).toBeUndefined()
  })

  it.each([
    { content: "a page", isError: false },
    { content: [{ type: "paragraph", content: [] }] },
    { content: textOf("x"), title: "a page" },
    { content: [] },
    { type: "text" },
    { type: "image", url: "https://example.com/a.png" },
    [{ type: "text", text: "a", label: "field" }],
  ])("is not seen in data of the author's: %j", async (returned) => {
    const { result } = await resultOf(returned)

    const value = Array.isArray(returned) ? { result: returned } : returned
    expect(result).toEqual({ content: textOf(JSON.stringify(value)) })
  })

  it.each([
    ["a text", { type: "text", text: "words" }, textOf("words")],
    [
      "an image",
      { type: "image", data: png, mimeType: "image/png" },
      [
        { type: "text", text: "done" },
        { type: "image", data: png, mimeType: "image/png" },
      ],
    ],
    ["a list of texts", [...textOf("a"), ...textOf("b")], [...textOf("a"), ...textOf("b")]],
  ])("is understood where it is a block alone: %s", async (...[, returned, blocks]) => {
    expect((await resultOf(returned)).result).toEqual({ content: blocks })
  })
})

describe("a block from untyped code", () => {
  const shown: readonly (readonly [string, unknown, unknown])[] = [
    [
      "MCP's embedded resource",
      { type: "resource", resource: { uri, text: "words" } },
      { type: "resource", resource: { uri, text: "words" } },
    ],
    ["a bare string", "words", { type: "text", text: "words" }],
    [
      "a data URL",
      { type: "image", data: `data:image/png;base64,${png}` },
      { type: "image", data: png, mimeType: "image/png" },
    ],
    [
      "a data URL of plain text",
      { type: "image", data: `data:image/svg+xml,${encodeURIComponent(svg)}` },
      { type: "resource", resource: { mimeType: "image/svg+xml", text: svg } },
    ],
    [
      "base64 for URLs",
      { type: "audio", data: "-_8", mimeType: "audio/wav" },
      { type: "audio", data: "+/8=", mimeType: "audio/wav" },
    ],
    [
      "base64 in lines",
      { type: "image", data: "iVBO\nRw0K\r\nGgo=", mimeType: "image/png" },
      { type: "image", data: png, mimeType: "image/png" },
    ],
    [
      "a buffer that was JSON",
      { type: "image", data: { type: "Buffer", data: [255, 216, 255] }, mimeType: "image/jpeg" },
      { type: "image", data: "/9j/", mimeType: "image/jpeg" },
    ],
    [
      "a type without its kind",
      { type: "image", data: png, mimeType: "png" },
      { type: "image", data: png, mimeType: "image/png" },
    ],
    [
      "a type that its bytes deny",
      { type: "image", data: png, mimeType: "image/jpeg" },
      { type: "image", data: png, mimeType: "image/png" },
    ],
    [
      "no type, and bytes that say it",
      { type: "image", data: png },
      { type: "image", data: png, mimeType: "image/png" },
    ],
    [
      "a vendor's unknown image",
      { type: "image", data: "AAAA", mimeType: "image/tiff" },
      { type: "resource", resource: { mimeType: "image/tiff", blob: "AAAA" } },
    ],
    [
      "a drawing in base64",
      { type: "image", data: btoa(svg), mimeType: "image/svg+xml" },
      { type: "resource", resource: { mimeType: "image/svg+xml", text: svg } },
    ],
    [
      "a drawing as it is",
      { type: "image", data: svg, mimeType: "image/svg+xml" },
      { type: "resource", resource: { mimeType: "image/svg+xml", text: svg } },
    ],
    ["a number as text", { type: "text", text: 5 }, { type: "text", text: "5" }],
    ["a link without a name", { type: "resource_link", uri }, { type: "resource_link", uri, name: uri }],
    [
      "a link of a URL",
      { type: "resource_link", uri: new URL("https://a.example/b"), name: "b" },
      { type: "resource_link", uri: "https://a.example/b", name: "b" },
    ],
    ["a resource without a URI", { type: "resource", text: "words" }, { type: "text", text: "words" }],
    [
      "annotations that MCP has not",
      { type: "text", text: "a", annotations: { priority: 7, audience: ["user"] } },
      { type: "text", text: "a", annotations: { audience: ["user"] } },
    ],
  ]
  it.each(shown)("is shown as its author meant: %s", async (_, block, expected) => {
    const { result } = await resultOf(content(undefined, [block as never]))

    expect(result["content"]).toContainEqual(expect.objectContaining(toMatch(expected)))
    expect(result["isError"]).toBeUndefined()
  })

  it.each<[unknown, string]>([
    [{ type: "text" }, "(text left out: it is missing)"],
    [null, "(block left out: it is null)"],
    [7, "(block left out: it is 7)"],
    [{ type: "image", data: "", mimeType: "image/png" }, "(image left out: its data is empty)"],
    [{ type: "image", data: new Uint8Array(), mimeType: "image/png" }, "(image left out: its data is empty)"],
    [{ type: "image", mimeType: "image/png" }, "(image left out: its data is missing)"],
    [
      { type: "image", data: "https://a.example/b.png", mimeType: "image/png" },
      "(image left out: its data is not base64)",
    ],
    [{ type: "resource_link", name: "b" }, '(link left out: it has no "uri")'],
    [{ type: "resource", uri }, `(resource ${uri} left out: it has neither a text nor a blob)`],
    [{ type: "resource", resource: { uri, blob: "no!" } }, `(resource ${uri} left out: its data is not base64)`],
    [
      Object.defineProperty({ type: "text" }, "text", { get: () => JSON.parse("{") }),
      "(block left out: it cannot be read)",
    ],
  ])("that cannot be shown becomes words, and the operator is told: %j", async (block, words) => {
    const { result, told } = await resultOf(content({ made: 1 }, [block as never]))

    expect([result["isError"], result["content"]]).toEqual([undefined, [...textOf('{"made":1}'), ...textOf(words)]])
    expect(told).toEqual([`in the result of "run": ${words.slice(1, -1)}`])
  })

  it("is ignored when it is no list", async () => {
    expect((await resultOf(content({ made: 1 }, undefined as never))).result).toEqual({ content: textOf('{"made":1}') })
    expect((await resultOf(content({ made: 1 }, { type: "text", text: "a" } as never))).result).toEqual({
      content: [...textOf('{"made":1}'), ...textOf("a")],
    })
  })
})

describe("a failure from untyped code", () => {
  it.each<[unknown, string]>([
    [undefined, "the action failed"],
    [null, "the action failed"],
    [new Error("no money"), "no money"],
    [{ message: "no money" }, "no money"],
    [{ left: 3 }, '{"left":3}'],
  ])("says what it can: fail(%j)", async (message, words) => {
    const { result } = await resultOf(fail(message as never, { recovery: {} as never, code: 7 as never }))

    expect(result).toMatchObject({ isError: true, content: textOf(words) })
  })
})

/** Returns the expected contents of an embedded resource, with any URI. */
function toMatch(expected: unknown): object {
  const { resource, ...rest } = expected as { resource?: object }
  return resource === undefined ? rest : { ...rest, resource: expect.objectContaining(resource) }
}
