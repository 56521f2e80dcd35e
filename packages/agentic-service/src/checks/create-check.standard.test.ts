import { describe, expect, it } from "vitest"
import { z } from "zod"
import { createCheck } from "./create-check.js"

describe("createCheck", () => {
  it("returns the schema's output", () => {
    expect(createCheck(z.object({ n: z.coerce.number() }))({ n: "1" })).toEqual({ ok: true, input: { n: 1 } })
  })

  it("reports issues with the schema's own messages and paths", () => {
    const result = createCheck(z.object({ cards: z.array(z.string("no text")) }))({ cards: ["x", 1] })

    expect(result).toEqual({ ok: false, issues: [{ path: ["cards", 1], message: "no text" }] })
  })

  it("waits for a schema that checks asynchronously", async () => {
    const check = createCheck(z.string().refine(async (text) => text === "x"))

    expect(await check("x")).toEqual({ ok: true, input: "x" })
    expect(await check("y")).toMatchObject({ ok: false })
  })

  it("treats a schema's throw or rejection as a failed check", async () => {
    const thrown = z.string().transform(() => {
      throw new Error("broken")
    })
    const rejected = {
      "~standard": { ...z.string()["~standard"], validate: () => Promise.reject(new Error("broken")) },
    }

    expect(await createCheck(thrown)("x")).toMatchObject({ ok: false })
    expect(await createCheck(rejected)("x")).toMatchObject({ ok: false })
  })

  const input = z.object({
    when: z.date(),
    count: z.bigint().gt(3n),
    image: z.file().mime(["image/png", "image/jpeg"]),
    either: z.union([z.date(), z.literal("now"), z.null()]),
    all: z.array(z.date()).optional(),
    byName: z.record(z.string(), z.bigint()).optional(),
  })
  const sent = {
    when: "2026-12-01T00:00:00Z",
    count: "9007199254740993",
    image: "data:image/png;base64,AAEC",
    either: "2026-12-01",
    all: ["2026-12-01T00:00:00.000Z"],
    byName: { a: "1", b: 2 },
  }

  it("converts texts to the dates, whole numbers and files that a schema expects", async () => {
    const checked = await createCheck(input)(sent)
    if (!checked.ok) throw new Error(JSON.stringify(checked))
    const { image, ...rest } = input.parse(checked.input)

    expect(rest).toEqual({
      when: new Date(Date.UTC(2026, 11, 1)),
      count: 9007199254740993n,
      either: new Date(Date.UTC(2026, 11, 1)),
      all: [new Date(Date.UTC(2026, 11, 1))],
      byName: { a: 1n, b: 2n },
    })
    expect(new Uint8Array(await image.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2]))
  })

  it.each([
    ["when", "tomorrow"],
    ["count", "3.5"],
    ["count", "1"],
    ["image", "no base64!"],
    ["image", "data:text/plain;base64,AAEC"],
    ["either", "later"],
  ])("refuses at its place %s: %j, which is none", async (name, text) => {
    const checked = await createCheck(input)({ ...sent, [name]: text })

    expect(checked.ok || checked.issues[0]?.path).toEqual([name])
  })

  it("keeps values of the expected type, as direct calls pass them", async () => {
    const given = { ...sent, when: new Date(0), count: 4n, either: "now" }
    const checked = await createCheck(input)(given)

    expect(checked).toMatchObject({ ok: true, input: { when: given.when, count: 4n, either: "now" } })
  })
})
