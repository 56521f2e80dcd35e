import { action, content, createAgenticService, fail, type JsonSchema } from "@x/agentic-service"
import { checkJson } from "@x/agentic-service/adapter"
import { isRecord, parseJson } from "@x/base"
import { describe, expect, it } from "vitest"
import { type AnswerOptions, answer } from "./answer.fixture.js"
import { declareChanges } from "./declare-changes.js"
import type { Result } from "./handler.js"

const items = Array.from({ length: 20_000 }, (_, id) => ({ id, title: `item ${id}` }))

/** Calls an action that returns a value, with the adapter's defaults. */
async function callOf(value: unknown, output?: JsonSchema, options?: AnswerOptions) {
  const run = action({
    description: "Run",
    ...(output !== undefined && { output }),
    execute: (): never => value as never,
  })
  const served = answer(createAgenticService({ name: "board", actions: { run } }), options)
  const [listed] = ((await served.request("tools/list"))["tools"] as { name: string }[]).filter(
    ({ name }) => name === "run",
  )
  return { result: await served.request("tools/call", { name: "run" }), events: served.events, listed }
}

const textsOf = (result: Result) => (result["content"] as { text: string }[]).map(({ text }) => text) // the shape of a tools/call result
const lengthOf = (result: Result) => textsOf(result).join("").length

const Items = (more: object = {}) => ({
  type: "object",
  properties: { items: { type: "array", items: { type: "object" }, ...more } },
  required: ["items"],
})

describe("limitResult", () => {
  it.each<[string, unknown]>([
    ["a long list", items],
    ["a long text", "x".repeat(700_000)],
    ["an object of both", { items, text: "y".repeat(700_000) }],
    ["characters of two halves", { text: "😀".repeat(400_000) }],
    ["more properties than there is room for", Object.fromEntries(items.map(({ title }) => [title, title]))],
  ])("makes %s as short as hosts hand on, and says what is left out", async (_, value) => {
    const { result, events } = await callOf(value)

    expect(result).not.toHaveProperty("isError")
    expect([lengthOf(result) <= 50_000, lengthOf(result) > 5_000]).toEqual([true, true])
    expect(textsOf(result).join("")).toMatch(/shortened|left out/)
    expect(
      textsOf(result)
        .join("")
        .search(/\p{Surrogate}/u),
    ).toBe(-1)
    expect(events).toContainEqual(
      expect.objectContaining({ diagnostic: expect.objectContaining({ code: "result_too_large" }) }),
    )
  })

  it("shortens JSON to valid JSON", async () => {
    const { result } = await callOf({ items })

    expect(isRecord(parseJson(textsOf(result)[0] ?? ""))).toBe(true)
  })

  it("shortens structured content too, while it matches its schema", async () => {
    const output = Items()
    const { result } = await callOf({ items }, output)

    expect((await checkJson(output, result["structuredContent"])).ok).toBe(true)
    expect(parseJson(textsOf(result)[0] ?? "")).toEqual(result["structuredContent"])
    expect([lengthOf(result) <= 50_000, JSON.stringify(result["structuredContent"]).length <= 50_000]).toEqual([
      true,
      true,
    ])
  })

  it("keeps structured content whole when a cut would break its schema, and says so", async () => {
    const { result } = await callOf({ items }, Items({ minItems: 20_000 }))

    expect(result["structuredContent"]).toEqual({ items })
    expect([lengthOf(result) < 2_000, textsOf(result)[0]]).toEqual([
      true,
      expect.stringContaining("structured content is complete"),
    ])
  })

  it("shortens an author's text blocks, but no images", async () => {
    const image = { type: "image", data: "AQ==", mimeType: "image/png" } as const
    const { result } = await callOf(content({ id: 1 }, [{ type: "text", text: "z".repeat(100_000) }, image]))

    expect(lengthOf(result)).toBeLessThanOrEqual(50_000)
    expect(result["content"]).toContainEqual(image)
  })

  it.each<[string, unknown, JsonSchema | undefined]>([
    ["a picture", content({ id: 1 }, [{ type: "image", data: "AAAA".repeat(500), mimeType: "image/png" }]), undefined],
    ["many properties", Object.fromEntries(items.slice(0, 500).map(({ title }) => [title, 1])), { type: "object" }],
    ["a list as it has to be", { items: items.slice(0, 500) }, Items({ minItems: 500 })],
    ["many properties, untold", Object.fromEntries(items.slice(0, 500).map(({ title }) => [title, 1])), undefined],
  ])("leaves a call that took more than can be sent at all a success: %s", async (_, value, output) => {
    const limits = { wholeResultChars: 1_000, maxResultChars: 10_000 }
    const { result, listed, events } = await callOf(value, output, limits)

    expect(result).not.toHaveProperty("isError")
    expect(textsOf(result).join("")).toMatch(/left out|shortened|is whole/)
    expect(events).toContainEqual(
      expect.objectContaining({ diagnostic: expect.objectContaining({ code: "result_too_large" }) }),
    )
    const { outputSchema } = listed as { outputSchema?: JsonSchema } // as listed
    if (outputSchema) expect((await checkJson(outputSchema, result["structuredContent"])).ok).toBe(true)
  })

  it("keeps a failure a failure, shortened to the limit", async () => {
    const { result } = await callOf(fail("x".repeat(5_000)), undefined, { wholeResultChars: 1_000 })

    expect(result).toMatchObject({ isError: true })
    expect(lengthOf(result)).toBeLessThan(2_500)
  })

  it("tells a host about a larger limit, but not about the default", async () => {
    const more = await callOf(1, undefined, { maxResultChars: 200_000 })

    expect(more.listed).toMatchObject({ _meta: { "anthropic/maxResultSizeChars": 200_000 } })
    expect((await callOf(1)).listed).not.toHaveProperty("_meta")
  })
})

describe("the property `changes`", () => {
  it("moves a value of that name which an open schema allows", async () => {
    const { result, listed } = await callOf({ changes: "mine" }, { type: "object" }, { catchUp: true })

    expect(result["structuredContent"]).toEqual({ changes_: "mine" })
    const { outputSchema = {} } = declareChanges(listed as Parameters<typeof declareChanges>[0]) // as listed
    expect((await checkJson(outputSchema, result["structuredContent"])).ok).toBe(true)
  })
})
