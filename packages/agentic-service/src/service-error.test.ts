import { describe, expect, it } from "vitest"
import { ServiceError } from "./service-error.js"

describe("ServiceError.from", () => {
  it("returns an error of ours unchanged", () => {
    const error = new ServiceError("the page is full", { code: "too_long" })

    expect(ServiceError.from(error)).toBe(error)
  })

  it("recognises an error of another copy of this package", () => {
    // Another copy's error: the registered mark on another class.
    const mark = Symbol.for("@x/agentic-service/error")
    const error = Object.assign(new Error("the page is full"), { [mark]: true, code: "too_long" })

    expect(ServiceError.from(error)).toBe(error)
  })

  it("converts an AbortError to aborted", () => {
    const thrown = new DOMException("stopped", "AbortError")

    expect(ServiceError.from(thrown)).toMatchObject({ code: "aborted", cause: thrown })
  })

  it.each([
    ["an error", new Error("password is 123")],
    ["text", "password is 123"],
    ["nothing", undefined],
  ])("keeps the words of %s for the log", (_, thrown) => {
    const error = ServiceError.from(thrown)

    expect(error).toMatchObject({ code: "action_failed", message: "the action failed", cause: thrown })
  })
})
