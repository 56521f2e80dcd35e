import { describe, expect, it } from "vitest"
import { toLoggedError } from "./log-calls.js"

describe("toLoggedError", () => {
  it("joins the stacks of an error and its causes", () => {
    const { type, message, stack } = toLoggedError(new TypeError("outer", { cause: new Error("inner") }))

    expect([type, message]).toEqual(["TypeError", "outer"])
    expect(stack).toMatch(/^TypeError: outer\n {4}at .*\ncaused by: Error: inner\n {4}at /s)
  })

  it("takes no other properties of an error", () => {
    const error = Object.assign(new Error("refused"), { headers: { authorization: "Bearer secret" } })

    expect(JSON.stringify(toLoggedError(error))).not.toContain("secret")
  })

  it("ends with circular causes", () => {
    const error = new Error("round")
    error.cause = error

    expect(toLoggedError(error).stack?.match(/Error: round/g)).toHaveLength(5)
  })

  it("describes a thrown value that is not an error, or cannot be read", () => {
    expect(toLoggedError("no luck")).toEqual({ type: "string", message: "no luck" })
    expect(toLoggedError(Object.create(null))).toEqual({ type: "object", message: "(reading the value threw)" })
  })
})
