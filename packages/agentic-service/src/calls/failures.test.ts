import { describe, expect, it } from "vitest"
import { invalidInput, notAvailable } from "./failures.js"

describe("notAvailable", () => {
  it("gives the reason, and the available actions", () => {
    expect(notAvailable("undo", { reason: "there is no history yet", callable: ["add", "clear"] })).toEqual({
      ok: false,
      code: "not_available",
      message: 'action "undo" is not available now: there is no history yet',
      recovery: "can be called now: add, clear",
    })
  })

  it("says that no action can be called", () => {
    expect(notAvailable("undo", { callable: [] })).toMatchObject({
      message: 'action "undo" is not available now',
      recovery: "no action can be called now",
    })
  })

  it("names twenty and counts the others", () => {
    const callable = Array.from({ length: 23 }, (_, index) => `a${index}`)

    expect(notAvailable("undo", { callable }).recovery).toMatch(/^can be called now: a0, .*, a19 and 3 more$/)
  })
})

describe("invalidInput", () => {
  it("lists issues by place, as a JSON Pointer", () => {
    const issues = [
      { path: ["a/b", 0], message: "is missing" },
      { path: [], message: "is no object" },
    ]

    expect(invalidInput("add", issues)).toEqual({
      ok: false,
      code: "invalid_input",
      message: 'the arguments of "add" are not valid:\n- /a~1b/0: is missing\n- is no object',
      recovery: "correct the arguments and call again",
    })
  })

  it("lists twenty and counts the others", () => {
    const issues = Array.from({ length: 23 }, (_, index) => ({ path: [index], message: "is missing" }))

    expect(invalidInput("add", issues).message.split("\n").slice(-2)).toEqual(["- /19: is missing", "and 3 more"])
  })
})
