import { describe, expect, it } from "vitest"
import type { Check } from "./checks.js"
import { compare, type KnownFailure } from "./compare.js"

const passes: Check = { id: "does-it", status: "SUCCESS" }
const fails: Check = { id: "does-it", status: "FAILURE", errorMessage: "no" }
const skips: Check = { id: "does-it", status: "SKIPPED" }

function faults(sdk: Check | undefined, ours: Check | undefined, known: readonly Partial<KnownFailure>[] = []) {
  const columns = { sdk: sdk && [sdk], ours: ours && [ours] }
  const failures = known.map((each) => ({ column: "ours", scenario: "one", why: "because", ...each }))
  return compare("one", columns, failures).faults
}

describe("compare", () => {
  it("passes what both clients pass", () => {
    expect(faults(passes, passes)).toEqual([])
  })

  it("takes what ours alone fails for a fault", () => {
    expect(faults(passes, fails)).toEqual(["ours, does-it: no"])
  })

  it("takes what ours did not show, or did not run, for a fault", () => {
    expect(faults(passes, skips)).toEqual(["ours, proof: no check succeeded"])
    expect(faults(passes, undefined)).toEqual(["ours, run: the scenario did not run"])
  })

  it("passes a client that is better than the first, where it is known that the first fails", () => {
    expect(faults(fails, passes, [{ column: "sdk" }])).toEqual([])
  })

  it("takes what the first fails for a fault until it is known", () => {
    expect(faults(fails, fails)).toEqual(["sdk, does-it: no"])
    expect(faults(fails, fails, [{ column: "all" }])).toEqual([])
  })

  it("fails if a known failure passes", () => {
    expect(faults(passes, passes, [{}])).toEqual(["ours: known to fail, but it does not"])
    expect(faults(passes, fails, [{}])).toEqual([])
  })
})
