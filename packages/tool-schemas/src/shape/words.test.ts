import { describe, expect, it } from "vitest"
import type { ProfileName } from "../profile-name.js"
import { publish } from "../publish.js"

const published = (a: object, profile: ProfileName) => publish({ properties: { a } }, { profile }).schema["properties"]
const COMPATIBLE: readonly ProfileName[] = ["portable", "anthropic", "openai", "openai-strict", "gemini"]

describe("dropOthers", () => {
  it.each(COMPATIBLE)("describes a bound beyond 64 bits, for %s", (profile) => {
    const { schema, changes } = publish({ properties: { a: { type: "integer", maximum: 2 ** 63 } } }, { profile })

    expect(JSON.stringify(schema)).toContain("(at most 9223372036854775807)")
    expect(JSON.stringify(schema)).not.toContain('"maximum"')
    expect(changes).toContainEqual({ path: "/properties/a", keyword: "maximum", how: "described" })
  })

  it.each([
    [{ maximum: 2 ** 64 }, "at most 18446744073709551615"],
    [{ minimum: -(2 ** 63) }, "at least -9223372036854775808"],
    [{ exclusiveMaximum: 2 ** 63 }, "less than 9223372036854775808"],
    [{ exclusiveMinimum: 2 ** 60 }, "more than 1152921504606846976"],
    [{ default: 2 ** 62 }, "default: 4611686018427387904"],
    [{ minimum: 1e300 }, "at least 1e+300"],
  ])("says %o with all its digits, as far as 64 bits have them", (a, words) => {
    expect(published({ type: "integer", ...a }, "portable")).toEqual({
      a: { type: "integer", description: `(${words})` },
    })
  })

  it("keeps every other bound", () => {
    const a = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

    for (const profile of COMPATIBLE.slice(0, 3)) expect(published(a, profile)).toEqual({ a })
  })

  it.each<[ProfileName, string, object]>([
    ["portable", "^(?!undefined$)", { description: '(matches "^(?!undefined$)")' }],
    ["openai", "^(?!undefined$)", { description: '(matches "^(?!undefined$)")' }],
    ["gemini", "^(a)\\1$", { description: '(matches "^(a)\\\\1$")' }],
    ["anthropic", "^(?!undefined$)", { pattern: "^(?!undefined$)" }],
    ["openai", "\\S", { pattern: "\\S" }],
    ["portable", "\\S", { description: '(matches "\\\\S")' }],
    ["portable", "^\\d+$", { pattern: "^[0-9]+$" }],
    ["verbatim", "^(?!undefined$)", { pattern: "^(?!undefined$)" }],
  ])("has %s say the pattern %s where its clients can run it", (profile, pattern, said) => {
    expect(published({ type: "string", pattern }, profile)).toEqual({ a: { type: "string", ...said } })
  })

  it.each<[string, object, string]>([
    ["string", { minLength: 5, maxLength: 2 }, "at least 5 characters; at most 2 characters"],
    ["array", { items: { type: "string" }, minItems: 2, maxItems: 1 }, "at least 2 items; at most 1 items"],
    ["integer", { exclusiveMinimum: 3, maximum: 2 }, "more than 3; at most 2"],
    ["object", { properties: { b: { type: "string" } }, minProperties: 2, maxProperties: 1 }, "at least 2 properties"],
  ])("says limits of %s in words where nothing is between them", (type, limits, words) => {
    for (const profile of COMPATIBLE) {
      const { schema } = publish({ properties: { a: { type, ...limits } } }, { profile })

      expect(JSON.stringify(schema)).toContain(words)
      expect(JSON.stringify(schema)).not.toMatch(/"(min|max|exclusive)[A-Z]?\w*":/)
    }
  })

  it("describes a format by name, without its library's pattern", () => {
    const a = { type: "string", format: "email", pattern: "^(?!\\.)[a-z]+@x$" }

    expect(published(a, "portable")).toEqual({ a: { type: "string", format: "email" } })
  })

  it("describes patterns of names that a client cannot compile, and accepts their properties", () => {
    const a = { type: "object", patternProperties: { "(?<!_)$": { type: "string" } }, additionalProperties: false }

    expect(published(a, "openai")).toEqual({
      a: { type: "object", description: expect.stringContaining("patternProperties") },
    })
  })
})
