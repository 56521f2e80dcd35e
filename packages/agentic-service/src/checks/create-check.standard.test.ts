import { describe, expect, it } from "vitest"
import { z } from "zod"
import { createCheck } from "./create-check.js"

describe("createCheck", () => {
  it("hands out what the schema makes of a value", () => {
    expect(createCheck(z.object({ n: z.coerce.number() }))({ n: "1" })).toEqual({ ok: true, input: { n: 1 } })
  })

  it("says where and what is wrong in the schema's own words", () => {
    const result = createCheck(z.object({ cards: z.array(z.string("no text")) }))({ cards: ["x", 1] })

    expect(result).toEqual({ ok: false, issues: [{ path: ["cards", 1], message: "no text" }] })
  })

  it("waits for a schema that checks asynchronously", async () => {
    const check = createCheck(z.string().refine(async (text) => text === "x"))

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

    expect(await createCheck(thrown)("x")).toMatchObject({ ok: false })
    expect(await createCheck(rejected)("x")).toMatchObject({ ok: false })
  })
})
