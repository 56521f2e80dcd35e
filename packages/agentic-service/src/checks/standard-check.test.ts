import { describe, expect, it } from "vitest"
import { z } from "zod"
import { createStandardCheck } from "./standard-check.js"

describe("createStandardCheck", () => {
  it("hands out what the schema makes of a value", () => {
    expect(createStandardCheck(z.object({ n: z.coerce.number() }))({ n: "1" })).toEqual({ ok: true, input: { n: 1 } })
  })

  it("says where and what is wrong in the schema's own words", () => {
    const result = createStandardCheck(z.object({ cards: z.array(z.string("no text")) }))({ cards: ["x", 1] })

    expect(result).toEqual({ ok: false, issues: [{ path: ["cards", 1], message: "no text" }] })
  })

  it("waits for a schema that checks asynchronously", async () => {
    const check = createStandardCheck(z.string().refine(async (text) => text === "x"))

    expect(await check("x")).toEqual({ ok: true, input: "x" })
    expect(await check("y")).toMatchObject({ ok: false })
  })

  it("takes a schema that throws or rejects for a failed check", async () => {
    const thrown = z.string().transform(() => {
      throw new Error("broken")
    })
    const rejected = {
      "~standard": { ...z.string()["~standard"], validate: () => Promise.reject(new Error("broken")) },
    }

    expect(await createStandardCheck(thrown)("x")).toMatchObject({ ok: false })
    expect(await createStandardCheck(rejected)("x")).toMatchObject({ ok: false })
  })
})
