import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cleanLine, cleanText } from "./clean-text.js"

describe("cleanText", () => {
  it("keeps words, tabs, line feeds and other scripts", () => {
    expect(cleanText("Löschen?\n\t3 Karten, 三枚 🗑️")).toBe("Löschen?\n\t3 Karten, 三枚 🗑️")
  })

  it.each([
    ["an escape sequence", "\u001b[2Jhi", "[2Jhi"],
    ["a direction override", "pay\u202Eevil\u202C", "payevil"],
    ["zero-width characters", "ba\u200Bn\u200Dk\uFEFF", "bank"],
    ["a soft hyphen", "dele\u00ADte", "delete"],
    ["Unicode tags", "ok\u{e0041}\u{e007f}", "ok"],
    ["a lone carriage return", "yes\rno", "yes\nno"],
  ])("removes %s", (_, text, expected) => {
    expect(cleanText(text)).toBe(expected)
  })

  it("leaves nothing that a second pass would remove", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text))
      }),
    )
  })
})

describe("cleanLine", () => {
  it("puts a text on one line", () => {
    expect(cleanLine(" one\r\n\ttwo\u2028three ")).toBe("one two three")
  })
})
