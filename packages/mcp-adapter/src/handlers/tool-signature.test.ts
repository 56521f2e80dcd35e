import { describe, expect, it } from "vitest"
import { toSignature } from "./tool-signature.js"

describe("toSignature", () => {
  it("lists the arguments, and marks optional ones", () => {
    const properties = {
      title: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      size: { enum: ["s", "l"] },
      "due-date": { type: ["string", "null"] },
      any: {},
    }

    expect(toSignature({ type: "object", properties, required: ["title"] })).toBe(
      '{ title: string, tags?: string[], size?: "s" | "l", "due-date"?: string | null, any?: any }',
    )
  })

  it("is undefined without arguments", () => {
    expect(toSignature({ type: "object", properties: {} })).toBeUndefined()
    expect(toSignature({ type: "object" })).toBeUndefined()
  })

  it("is never long", () => {
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, true]))

    expect(toSignature({ type: "object", properties })?.length).toBeLessThanOrEqual(200)
  })
})
