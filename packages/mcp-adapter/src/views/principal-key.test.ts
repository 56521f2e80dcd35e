import { describe, expect, it } from "vitest"
import { principalKey } from "./principal-key.js"

describe("principalKey", () => {
  it("distinguishes lasting claims, in any order", () => {
    const one = principalKey({ id: "ann", claims: { tenant: "a", roles: { x: 1, y: 2 } } })

    expect(principalKey({ id: "ann", claims: { roles: { y: 2, x: 1 }, tenant: "a" } })).toBe(one)
    expect(principalKey({ id: "ann", claims: { tenant: "b", roles: { x: 1, y: 2 } } })).not.toBe(one)
    expect(principalKey({ id: "ann" })).not.toBe(one)
  })

  it("is the same for two tokens of one person", () => {
    const of = (exp: number) =>
      principalKey({ id: "ann", scopes: ["b", "a"], claims: { sub: "ann", exp, jti: `${exp}` } })

    expect(of(1)).toBe(of(2))
  })

  it("accepts claims that JSON cannot represent", () => {
    const claims: Record<string, unknown> = { big: 1n, at: new Date(0) }
    claims["self"] = claims

    expect(principalKey({ id: "ann", claims })).toBe(principalKey({ id: "ann", claims }))
  })

  it("distinguishes every id", () => {
    expect(principalKey(undefined)).not.toBe(principalKey({ id: "" }))
    expect(principalKey({ id: "a", scopes: ["b"] })).not.toBe(principalKey({ id: "a", scopes: [] }))
  })
})
