import fastStringWidth from "fast-string-width"
import { describe, expect, it } from "vitest"
import { toDefinitions, toTable } from "./columns.js"
import { gatewayHelp } from "./gateway/gateway-help.js"

const widths = [40, 48, 60, 72, 80, 120, 200]
const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "")

/** The widest line of a text, in characters. */
function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => fastStringWidth(line)))
}

const rows: readonly (readonly [string, string, string])[] = [
  ["columns__done__add", "title=string notes?=string", "Add a card to this column"],
  ["open__set_responsibility", "person=string", "Name the person who is responsible for the open card"],
]

describe("a table", () => {
  it.each(widths)("is no wider than a terminal of %d columns, and breaks no word", (width) => {
    const table = toTable(["action", "fields", "description"], rows, width)

    expect(widest(table)).toBeLessThanOrEqual(width)
    for (const word of rows.flat().flatMap(words)) expect(words(table)).toContain(word)
  })

  it("puts the cells of a row below each other where there is no room beside each other", () => {
    expect(toTable(["action", "description"], [["a_long_name_of_an_action", "a_long_word_without_a_space"]], 40)).toBe(
      "ACTION\na_long_name_of_an_action\n  a_long_word_without_a_space",
    )
  })
})

describe("definitions", () => {
  it.each(widths)("are no wider than a terminal of %d columns, and break no word", (width) => {
    const pairs = rows.map(([term, , text]) => [term, text] as const)
    const text = toDefinitions(pairs, width)

    expect(widest(text)).toBeLessThanOrEqual(width)
    for (const word of pairs.flat().flatMap(words)) expect(words(text)).toContain(word)
  })
})

it.each([50, 80, 160])("the help of the gateway fits a terminal of %d columns", (width) => {
  expect(widest(gatewayHelp(width))).toBeLessThanOrEqual(Math.max(width, 48))
})
