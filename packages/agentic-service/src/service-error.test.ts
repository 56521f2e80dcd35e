import { describe, expect, it } from "vitest"
import { ServiceError } from "./service-error.js"

describe("ServiceError.from", () => {
  it("gives an error of ours back as it is", () => {
    const error = new ServiceError("the page is full", { code: "too_long" })

    expect(ServiceError.from(error)).toBe(error)
  })

  it("knows an error of another copy of this package", () => {
    // As another copy makes it: the registered mark, and another class.
    const mark = Symbol.for("@x/agentic-service/error")
    const error = Object.assign(new Error("the page is full"), { [mark]: true, code: "too_long" })

    expect(ServiceError.from(error)).toBe(error)
  })

  it("tells that work was given up", () => {
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
