import { describe, expect, it } from "vitest"
import type { Check } from "./checks.js"
import { judge } from "./judge.js"

const passes: Check = { id: "does-it", status: "SUCCESS" }
const fails: Check = { id: "does-it", status: "FAILURE", errorMessage: "no" }
const warns: Check = { id: "says-it", status: "WARNING", errorMessage: "hardly" }
const free: Check = { id: "wire-schema-valid", status: "SUCCESS" }

function faults(checks: readonly Check[], excused: readonly string[] | "all" = []) {
  const exceptions = excused.length > 0 ? [{ scenario: "one", checks: excused, why: "because" }] : []
  return judge({ checks: new Map([["one", checks]]), scored: ["one"], exceptions }).scored[0]?.faults
}

describe("judge", () => {
  it("passes a scenario whose checks all succeed", () => {
    expect(faults([passes, free])).toEqual([])
  })

  it("takes a failure for a fault", () => {
    expect(faults([passes, fails])).toEqual(["does-it: no"])
  })

  it("takes a warning for a fault", () => {
    expect(faults([passes, warns])).toEqual(["says-it: hardly"])
  })

  it("fails a scenario without a check", () => {
    expect(faults([{ id: "does-it", status: "SKIPPED" }, free])).toEqual(["proof: no check succeeded"])
  })

  it("fails a scenario that did not run", () => {
    const { scored } = judge({ checks: new Map(), scored: ["one"], exceptions: [] })

    expect(scored).toEqual([{ scenario: "one", faults: ["run: the scenario did not run"] }])
  })

  it("excuses the checks of an exception and no others", () => {
    expect(faults([fails, warns], ["does-it"])).toEqual(["says-it: hardly"])
  })

  it("fails if an exception is not needed", () => {
    expect(faults([passes], ["does-it"])).toEqual(["does-it: excused, but it did not fail"])
  })

  it("excuses whatever fails of a scenario that is excused as a whole", () => {
    expect(faults([fails, warns], "all")).toEqual([])
    expect(faults([{ id: "does-it", status: "SKIPPED" }], "all")).toEqual([])
  })

  it("fails if a scenario that is excused as a whole passes", () => {
    expect(faults([passes], "all")).toEqual(["excused, but nothing failed"])
  })

  it("lists unscored scenarios separately", () => {
    const { unscored } = judge({ checks: new Map([["two", [fails]]]), scored: [], exceptions: [] })

    expect(unscored).toEqual([{ scenario: "two", faults: ["does-it: no"] }])
  })
})
