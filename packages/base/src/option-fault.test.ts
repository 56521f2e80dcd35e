import { describe, expect, it } from "vitest"
import { findOptionFault, type OptionRules } from "./option-fault.js"

const RULES: OptionRules = {
  name: "text",
  strict: "flag",
  report: "function",
  about: "object",
  source: "any",
  states: ["both", "omit", false],
  pageSize: { from: 1, to: 100, whole: true },
  idleMs: { from: 0 },
  limits: { options: { depth: { from: 1, whole: true } } },
}

describe("findOptionFault", () => {
  it("finds no fault in missing, empty and valid options", () => {
    const good = {
      name: "",
      strict: false,
      report: () => 0,
      about: {},
      source: null,
      states: false,
      pageSize: 100,
      idleMs: Number.POSITIVE_INFINITY,
      limits: { depth: undefined },
    }

    expect([undefined, {}, good].map((options) => findOptionFault(options, RULES))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it.each([
    [{ nmae: "x" }, 'there is no option "nmae": expected one of "name", "strict"'],
    [{ toString: 1 }, 'there is no option "toString": expected one of "name", "strict"'],
    [{ limits: { deep: 1 } }, 'there is no option "limits.deep": expected one of "depth"'],
    [{ name: 1 }, 'option "name" is 1: expected a string'],
    [{ strict: "yes" }, 'option "strict" is "yes": expected true or false'],
    [{ report: "x".repeat(50) }, `option "report" is "${"x".repeat(40)}…": expected a function`],
    [{ about: [] }, 'option "about" is a list: expected an object'],
    [{ states: "none" }, 'option "states" is "none": expected one of "both", "omit", false'],
    [{ pageSize: -1 }, 'option "pageSize" is -1: expected a whole number from 1 to 100'],
    [{ pageSize: 1.5 }, 'option "pageSize" is 1.5: expected a whole number from 1 to 100'],
    [{ pageSize: "5" }, 'option "pageSize" is "5": expected a whole number from 1 to 100'],
    [{ idleMs: Number.NaN }, 'option "idleMs" is NaN: expected a number from 0'],
    [{ limits: null }, 'option "limits" is null: expected an object'],
    [{ limits: { depth: 0 } }, 'option "limits.depth" is 0: expected a whole number from 1'],
    [[], "the options are a list: expected an object"],
  ])("says what is wrong with %j", (options, fault) => {
    expect(findOptionFault(options, RULES)).toContain(fault)
  })
})
