import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { featuresOf, isLinear, toExplicitPattern, toPlainPattern, toUnicodePattern } from "./patterns.js"

describe("toUnicodePattern", () => {
  it.each([
    ["^[\\w-.]+$", "^[\\w\\-.]+$"],
    ["^[.-\\d]$", "^[.\\-\\d]$"],
    ["^\\d\\-\\d$", "^\\d\\x2d\\d$"],
    ["\\@\\_\\:", "@_:"],
    ["[\\@a]", "[@a]"],
    ["{a}", "\\{a\\}"],
    ["a]", "a\\]"],
    ["^\\p{L}+$", "^\\p{L}+$"],
  ])("writes %s as %s", (pattern, written) => {
    expect(toUnicodePattern(pattern)).toBe(written)
  })

  it.each([["["], ["(?<a"], [1], [undefined]])("gives nothing for %s", (pattern) => {
    expect(toUnicodePattern(pattern)).toBeUndefined()
  })

  it("matches the same texts", () => {
    const pieces = fc.constantFrom(..."ab-_@:{}[]()\\|.*+?^$wd0".split(""))
    const texts = fc.array(fc.string({ unit: fc.constantFrom(..."ab-_@:{}[].\\wd0".split("")), maxLength: 8 }))

    fc.assert(
      fc.property(fc.string({ unit: pieces, maxLength: 12 }), texts, (pattern, all) => {
        const written = toUnicodePattern(pattern)
        fc.pre(written !== undefined)
        const [before, after] = [new RegExp(pattern), new RegExp(String(written), "u")]

        expect(all.map((text) => after.test(text))).toEqual(all.map((text) => before.test(text)))
      }),
      { numRuns: 3000 },
    )
  })
})

describe("toPlainPattern", () => {
  it.each([
    ["^\\d{3}-[a-z]+$", "^[0-9]{3}-[a-z]+$"],
    ["^[\\w.-]+$", "^[A-Za-z0-9_.-]+$"],
    ["^(?:a|b)+?(?<name>c)*$", "^(a|b)+(c)*$"],
    [
      "^\\S{1,5}\\.png$",
      "^[^\\t\\n\\x0b\\x0c\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]{1,5}\\.png$",
    ],
    ["^[\\/\\.\\^]$", "^[/.\\x5e]$"],
    [
      "^https?:\\/\\/\\S$",
      "^https?://[^\\t\\n\\x0b\\x0c\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]$",
    ],
    ["^é+日😀{2}é$", "^[é]+日[😀]{2}é$"],
    ["^$", "^$"],
  ])("writes %s as %s", (pattern, written) => {
    expect(toPlainPattern(pattern)).toBe(written)
  })

  it.each([
    "abc",
    "^abc",
    "^a|b$",
    "^(?!a).*$",
    "^(a)\\1$",
    "^\\p{L}$",
    "^\\bword$",
    "^[\\S]$",
    "^(a$|b)$",
    "^[]$",
    "^a{5000}$",
    "^\\u{1f600}$",
  ])("gives nothing for %s", (pattern) => {
    expect(toPlainPattern(pattern)).toBeUndefined()
  })

  it("matches the same texts", () => {
    const pieces = fc.constantFrom(
      "a",
      "b",
      "-",
      ".",
      "\\d",
      "\\w",
      "\\S",
      "\\s",
      "[",
      "]",
      "[^",
      "(",
      ")",
      "(?:",
      "|",
      "*",
      "+?",
      "{1,2}",
      "\\.",
      "\\-",
      "^",
      "$",
      "\\x41",
    )
    const texts = fc.array(fc.string({ unit: fc.constantFrom(..."ab-. _1A^$[]".split("")), maxLength: 5 }))

    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), texts, (parts, all) => {
        const pattern = toUnicodePattern(`^${parts.join("")}$`)
        const written = pattern && toPlainPattern(pattern)
        fc.pre(written !== undefined)
        const [before, after] = [new RegExp(String(pattern), "u"), new RegExp(String(written), "u")]

        expect(all.map((text) => after.test(text))).toEqual(all.map((text) => before.test(text)))
      }),
      { numRuns: 3000 },
    )
  })
})

describe("toExplicitPattern", () => {
  it.each([
    [
      "^\\s+\\.$",
      "^[\\t\\n\\x0b\\x0c\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+\\.$",
    ],
    ["(a|.)[.\\]]", "(a|[^\\n\\r\\u2028\\u2029])[.\\]]"],
    ["[^\\S]", undefined],
  ])("writes %s as %s", (pattern, written) => {
    expect(toExplicitPattern(pattern)).toBe(written)
  })
})

describe("featuresOf", () => {
  it.each([
    ["^(?!undefined$)", ["lookaround"]],
    ["(?<=a)b", ["lookaround"]],
    ["(a)\\1", ["backreference"]],
    ["(?<x>a)\\k<x>", ["backreference"]],
    ["[\\p{L}]", ["unicode class"]],
    ["\\P{Lu}", ["unicode class"]],
    ["\\\\p{L}", []],
    ["[(?=]\\0\\(?=", []],
    ["^(?:a|b)+(?<name>c)\\b$", []],
  ])("finds what %s asks for", (pattern, features) => {
    expect([...featuresOf(pattern)]).toEqual(features)
  })
})

describe("isLinear", () => {
  it.each(["^\\d{3}$", "^[A-Z]{3}-[0-9]+$", "^#[0-9a-f]{6}$", "^a?b?c$", "abc", "^[^/]*$"])(
    "takes %s for linear",
    (pattern) => {
      expect(isLinear(pattern)).toBe(true)
    },
  )

  it.each(["^(a+)+$", "^(a|a)*$", "a+b", "^a+a+b", "^.{0,99}.{0,99}x", "^(?:a)+$", "^(?=a)", "(a)\\1"])(
    "does not trust %s",
    (pattern) => {
      expect(isLinear(pattern)).toBe(false)
    },
  )
})
