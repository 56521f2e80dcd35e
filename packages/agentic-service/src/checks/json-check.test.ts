import type { JsonSchema } from "@x/tool-schemas"
import { describe, expect, it } from "vitest"
import { createJsonCheck } from "./json-check.js"

describe("createJsonCheck", () => {
  it("passes what fits, as it is", () => {
    const value = { title: "x" }

    expect(createJsonCheck({ type: "object", required: ["title"] })(value)).toEqual({ ok: true, input: value })
  })

  it("says where and what is wrong, in the leaves only", () => {
    const schema = {
      type: "object",
      properties: { cards: { type: "array", items: { $ref: "#/$defs/Card" } }, "a/b~c": { type: "string" } },
      additionalProperties: false,
      $defs: { Card: { type: "object", properties: { title: { type: "string" } }, required: ["title"] } },
    }

    expect(createJsonCheck(schema)({ cards: [{ title: 1 }, {}], "a/b~c": 1, extra: 1 })).toEqual({
      ok: false,
      issues: [
        { path: ["cards", 0, "title"], message: 'found "number", expected "string"' },
        { path: ["cards", 1], message: '"title" is missing' },
        { path: ["a/b~c"], message: 'found "number", expected "string"' },
        { path: ["extra"], message: "is not expected here" },
      ],
    })
  })

  it("says why none of several schemas fits", () => {
    const result = createJsonCheck({ anyOf: [{ type: "string" }, { type: "null" }] })(1)

    expect(result).toMatchObject({ ok: false, issues: [{ message: "instance does not match any subschemas" }, {}, {}] })
  })

  it.each<{ what: string; schema: JsonSchema; valid: readonly unknown[]; invalid: readonly unknown[] }>([
    { what: "nullable, of OpenAPI", schema: { type: "string", nullable: true }, valid: [null, "a"], invalid: [1] },
    {
      what: "it beside an enum",
      schema: { type: "string", enum: ["a"], nullable: true },
      valid: [null],
      invalid: ["b"],
    },
    { what: "an excluded limit of draft 4", schema: { minimum: 1, exclusiveMinimum: true }, valid: [2], invalid: [1] },
    { what: "one that is not", schema: { maximum: 3, exclusiveMaximum: false }, valid: [3], invalid: [4] },
    {
      what: "a list of items",
      schema: { items: [{ type: "string" }], additionalItems: false },
      valid: [["a"]],
      invalid: [[1], ["a", 1]],
    },
    {
      what: "dependencies",
      schema: { dependencies: { a: ["b"], c: { required: ["d"] } } },
      valid: [{}],
      invalid: [{ a: 1 }, { c: 1 }],
    },
  ])("reads $what as 2020-12 says it", ({ schema, valid, invalid }) => {
    const check = createJsonCheck(schema)

    expect([...valid, ...invalid].filter((value) => check(value).ok)).toEqual(valid)
  })

  it("stops at twenty issues", () => {
    const result = createJsonCheck({ type: "array", items: { type: "string" } })(Array.from({ length: 100 }, () => 1))

    expect(result.ok || result.issues.length).toBe(20)
  })

  it("writes nothing into the schema, which may be frozen", () => {
    const schema = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    })

    expect(createJsonCheck(schema)({ a: "x" }).ok).toBe(true)
    expect(Object.getOwnPropertyNames(schema)).toEqual(["type", "properties"])
  })

  it("tolerates formats and keywords it does not know", () => {
    const schema = { type: "string", format: "card-id", layout: "std140", interpolators: { lerp: () => {} } }

    expect(createJsonCheck(schema)("x").ok).toBe(true)
  })

  it("takes types and patterns that nobody can check for no constraint", () => {
    const schema = { properties: { buffer: { type: "typed-buffer" }, text: { type: "string", pattern: "[" } } }

    expect(createJsonCheck(schema)({ buffer: [1], text: "x" }).ok).toBe(true)
  })

  it("says which pattern a text does not match", () => {
    const schema = { type: "string", pattern: "^\\d{3}$", format: "email", allOf: [{ maxLength: 3 }] }

    expect(createJsonCheck({ type: "string", pattern: "^\\d{3}$" })("123")).toEqual({ ok: true, input: "123" })
    expect(createJsonCheck(schema)("1234")).toMatchObject({
      ok: false,
      issues: [
        { message: "string is too long (4 > 3)" },
        { message: 'does not match the pattern "^\\d{3}$"' },
        { message: 'string does not match format "email"' },
      ],
    })
  })

  it("takes time in proportion to the text, whatever the pattern", () => {
    const check = createJsonCheck({ type: "string", pattern: "^(a+)+$" })

    // A backtracking engine would take longer than there is.
    expect(check(`${"a".repeat(10_000)}!`).ok).toBe(false)
    expect(check("a".repeat(10_000)).ok).toBe(true)
  })

  it("tries a pattern that cannot be linear on short texts only", () => {
    const check = createJsonCheck({ type: "string", pattern: "^(?=.*\\d).+$" })

    expect([check("a1").ok, check("a").ok, check("1".repeat(257)).ok]).toEqual([true, false, false])
  })

  it("follows a cycle of schema objects", () => {
    const tree: Record<string, unknown> = { type: "object", required: ["name"], properties: {} }
    tree["properties"] = { children: { type: "array", items: tree } }
    const check = createJsonCheck(tree)

    expect(check({ name: "a", children: [{ name: "b", children: [] }] }).ok).toBe(true)
    expect(check({ name: "a", children: [{}] })).toMatchObject({ ok: false, issues: [{ path: ["children", 0] }] })
  })

  it("takes a reference to nowhere for a failed check", () => {
    expect(createJsonCheck({ $ref: "#/$defs/None" })({})).toMatchObject({
      ok: false,
      issues: [{ path: [], message: 'cannot be checked: Unresolved $ref "#/$defs/None".' }],
    })
  })

  it("takes what is too deep to check for a failed check", () => {
    const schema = { $defs: { List: { properties: { next: { $ref: "#/$defs/List" } } } }, $ref: "#/$defs/List" }
    let deep: object = {}
    for (let depth = 0; depth < 100_000; depth += 1) deep = { next: deep }

    expect(createJsonCheck(schema)(deep).ok).toBe(false)
  })

  it.each([undefined, 1n, () => {}, Symbol("x")])("takes %s, which JSON does not know, for a failed check", (value) => {
    expect(createJsonCheck({ type: "string" })(value).ok).toBe(false)
  })

  it("follows a reference into a keyword it does not know", () => {
    const schema = { $ref: "#/components/schemas/Id", components: { schemas: { Id: { type: "string" } } } }

    expect([createJsonCheck(schema)("x").ok, createJsonCheck(schema)(1).ok]).toEqual([true, false])
  })

  it("checks keys such as __proto__ like any other", () => {
    const schema = JSON.parse('{ "properties": { "__proto__": { "type": "string" } } }')

    expect(createJsonCheck(schema)(JSON.parse('{ "__proto__": 1 }')).ok).toBe(false)
  })
})
