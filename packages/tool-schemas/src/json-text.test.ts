import { describe, expect, it } from "vitest"
import { jsonTextsWay } from "./json-text.js"
import { publish } from "./publish.js"

const author = {
  type: "object",
  properties: {
    tags: { type: "array", items: { type: "object", properties: { deep: { type: "array" } } } },
    text: { type: "string" },
    any: {},
    either: { anyOf: [{ type: "object" }, { type: "null" }] },
    textOrList: { type: ["string", "array"] },
    tree: { $ref: "#/$defs/tree" },
  },
  $defs: { tree: { type: "object", properties: { below: { $ref: "#/$defs/tree" } } } },
}
const parse = (value: unknown) => jsonTextsWay(publish(author, { profile: "verbatim" }).schema).restore(value)

describe("jsonTextsWay", () => {
  it.each([
    [{ tags: '[{"deep":"[1]"}]' }, { tags: [{ deep: [1] }] }],
    [{ either: '{"a":1}' }, { either: { a: 1 } }],
    [{ tree: '{"below":"{}"}' }, { tree: { below: {} } }],
  ])("reads %j", (given, read) => {
    expect(parse(given)).toEqual(read)
  })

  it.each([
    [{ text: "[1]" }],
    [{ any: "[1]" }],
    [{ textOrList: "[1]" }],
    [{ tags: "no JSON" }],
    [{ tags: "1" }],
    [{ unknown: "[1]" }],
  ])("leaves %j as it is", (given) => {
    expect(parse(given)).toEqual(given)
  })

  it("is used only on request", () => {
    expect(publish(author).toInput({ tags: "[]" })).toEqual({ tags: "[]" })
    expect(publish(author, { jsonText: true }).toInput({ tags: "[]" })).toEqual({ tags: [] })
  })
})
