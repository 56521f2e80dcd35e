import { format } from "@cfworker/json-schema"
import type { JsonSchema } from "@x/tool-schemas"
import { describe, expect, it } from "vitest"
import { checkJson, loadTrustedCheck } from "../checks/create-check.js"
import { createJsonCheck } from "./json-check.js"

describe("createJsonCheck", () => {
  it("returns valid values unchanged", async () => {
    const value = { title: "x" }

    expect(await checkJson({ type: "object", required: ["title"] }, value)).toEqual({ ok: true, input: value })
  })

  it("reports issues of the leaves only, with their places", async () => {
    const schema = {
      type: "object",
      properties: { cards: { type: "array", items: { $ref: "#/$defs/Card" } }, "a/b~c": { type: "string" } },
      additionalProperties: false,
      $defs: { Card: { type: "object", properties: { title: { type: "string" } }, required: ["title"] } },
    }

    expect(await checkJson(schema, { cards: [{ title: 1 }, {}], "a/b~c": 1, extra: 1 })).toEqual({
      ok: false,
      issues: [
        { path: ["cards", 0, "title"], message: 'found "number", expected "string"' },
        { path: ["cards", 1, "title"], message: "is missing" },
        { path: ["a/b~c"], message: 'found "number", expected "string"' },
        { path: ["extra"], message: "is not expected here" },
      ],
    })
  })

  it("reports why none of several schemas fits", async () => {
    expect(await checkJson({ anyOf: [{ type: "string" }, { type: "null" }] }, 1)).toEqual({
      ok: false,
      issues: [
        { path: [], message: "fits none of the alternatives" },
        { path: [], message: 'found "number", expected "string"' },
        { path: [], message: 'found "number", expected "null"' },
      ],
    })
  })

  it("reports only the alternative meant for such a value", async () => {
    const schema = { anyOf: [{ type: "null" }, { type: "object", properties: { a: { type: "string" } } }] }

    expect(await checkJson(schema, { a: 1 })).toMatchObject({ ok: false, issues: [{ path: ["a"] }] })
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
  ])("reads $what as 2020-12 says it", async ({ schema, valid, invalid }) => {
    const check = createJsonCheck(schema)

    const checked = await Promise.all([...valid, ...invalid].map((value) => check(value)))
    expect(checked.map(({ ok }) => ok)).toEqual([...valid.map(() => true), ...invalid.map(() => false)])
  })

  it("stops at twenty issues", async () => {
    const check = createJsonCheck({ type: "array", items: { type: "string" } })

    const refused = await check(Array.from({ length: 2_000_000 }, () => 1))

    expect(refused.ok || refused.issues.map(({ path }) => path)).toEqual(
      Array.from({ length: 20 }, (_, index) => [index]),
    )
  })

  it("fails the check of a value that needs too many steps", async () => {
    // Two parts check each level twice: 4^n times in all.
    const twice = { properties: { next: { $ref: "#/$defs/Twice" } } }
    const part = { allOf: [{ $ref: "#/$defs/Two" }, { $ref: "#/$defs/Two" }] }
    const schema = { $ref: "#/$defs/Twice", $defs: { Two: { allOf: [twice, twice] }, Twice: part } }
    let deep = {}
    for (let depth = 0; depth < 40; depth += 1) deep = { next: deep }

    expect(await checkJson(schema, deep)).toEqual({
      ok: false,
      issues: [{ path: [], message: "cannot be checked: it takes too many steps" }],
    })
  })

  it.each<{ items: readonly unknown[]; unique: boolean }>([
    { items: [1, "1", true, null, [1], { a: 1 }, "{}", {}], unique: true },
    {
      items: [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      unique: false,
    },
    {
      items: [
        [1, 2],
        [2, 1],
      ],
      unique: true,
    },
    { items: ["[1]", [1]], unique: true },
    { items: [0, -0], unique: false },
    { items: [{ a: undefined }, {}], unique: false },
  ])("tells whether $items holds something twice", async ({ items, unique }) => {
    expect((await checkJson({ uniqueItems: true }, items)).ok).toBe(unique)
  })

  it("finds duplicate items among many without comparing all pairs", async () => {
    const items = Array.from({ length: 200_000 }, (_, index) => ({ id: index }))
    const check = createJsonCheck({ type: "array", uniqueItems: true })

    // Comparing all pairs would take 20,000 million comparisons.
    expect((await check(items)).ok).toBe(true)
    expect(await check([...items, { id: 7 }])).toMatchObject({
      issues: [{ message: "the items at 7 and 200000 are equal, expected different items" }],
    })
  })

  it("keeps nothing of a schema in the tables of the libraries it uses", async () => {
    const before = Object.keys(format)

    await checkJson({ type: "string", pattern: "^(only here|)+$" }, "only here")

    expect(Object.keys(format)).toEqual(before)
  })

  it("is synchronous when no engine must be loaded", () => {
    expect(createJsonCheck({ type: "string", pattern: "^[a-z]{2}-[0-9]+$" })("ab-1")).toEqual({
      ok: true,
      input: "ab-1",
    })
  })

  it("writes nothing into the schema, which may be frozen", async () => {
    const schema = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    })

    expect((await checkJson(schema, { a: "x" })).ok).toBe(true)
    expect(Object.getOwnPropertyNames(schema)).toEqual(["type", "properties"])
  })

  it("tolerates unknown formats and keywords", async () => {
    const schema = { type: "string", format: "card-id", layout: "std140", interpolators: { lerp: () => {} } }

    expect((await checkJson(schema, "x")).ok).toBe(true)
  })

  it("ignores unknown types and invalid patterns", async () => {
    const schema = { properties: { buffer: { type: "typed-buffer" }, text: { type: "string", pattern: "[" } } }

    expect((await checkJson(schema, { buffer: [1], text: "x" })).ok).toBe(true)
  })

  it("names the pattern that a text does not match", async () => {
    const schema = { type: "string", pattern: "^\\d{3}$", format: "email", allOf: [{ maxLength: 3 }] }

    expect(await checkJson({ type: "string", pattern: "^\\d{3}$" }, "123")).toEqual({ ok: true, input: "123" })
    expect(await checkJson(schema, "1234")).toMatchObject({
      ok: false,
      issues: [
        { message: 'does not match the pattern "^\\d{3}$"' },
        { message: 'does not match the format "email"' },
        { message: "found 4 characters, expected at most 3" },
      ],
    })
  })

  it("takes time linear in the text for any pattern", async () => {
    const check = createJsonCheck({ type: "string", pattern: "^(a+)+$" })

    // A backtracking engine would practically never finish.
    expect((await check(`${"a".repeat(10_000)}!`)).ok).toBe(false)
    expect((await check("a".repeat(10_000))).ok).toBe(true)
  })

  it.each(["^(.)+$", "^(?:\\s)+$", "^(\\S)+$", "^([\\s\\d])+$", "^(?:\\p{Letter})+$", "^(\\p{L}|x)+$"])(
    "says of any character by the pattern %s what JavaScript says",
    async (pattern) => {
      const check = createJsonCheck({ type: "string", pattern })
      const characters = [..."a1é \t\n\r\u2028\u2029\u00a0\ufeff\u3000৪α😀"]

      const checked = await Promise.all(characters.map((character) => check(character)))
      const expected = characters.map((character) => new RegExp(pattern, "u").test(character))
      expect(checked.map(({ ok }) => ok)).toEqual(expected)
    },
  )

  it("runs patterns that cannot be linear on short texts only", async () => {
    const check = createJsonCheck({ type: "string", pattern: "^(?=.*\\d).+$" })

    expect([(await check("a1")).ok, (await check("a")).ok, (await check("1".repeat(257))).ok]).toEqual([
      true,
      false,
      false,
    ])
  })

  it("follows a cycle of schema objects", async () => {
    const tree: Record<string, unknown> = { type: "object", required: ["name"], properties: {} }
    tree["properties"] = { children: { type: "array", items: tree } }
    const check = createJsonCheck(tree)

    expect((await check({ name: "a", children: [{ name: "b", children: [] }] })).ok).toBe(true)
    expect(await check({ name: "a", children: [{}] })).toMatchObject({
      ok: false,
      issues: [{ path: ["children", 0, "name"] }],
    })
  })

  it("fails the check of a broken reference", async () => {
    expect(await checkJson({ $ref: "#/$defs/None" }, {})).toMatchObject({
      ok: false,
      issues: [
        {
          path: [],
          message: 'cannot be checked: $ref "#/$defs/None" points to nothing: expected a schema at that place',
        },
      ],
    })
  })

  it("fails the check of a value nested too deep", async () => {
    const schema = { $defs: { List: { properties: { next: { $ref: "#/$defs/List" } } } }, $ref: "#/$defs/List" }
    let deep: object = {}
    for (let depth = 0; depth < 100_000; depth += 1) deep = { next: deep }

    expect((await checkJson(schema, deep)).ok).toBe(false)
  })

  it.each([undefined, 1n, () => {}, Symbol("x")])(
    "fails the check of %s, which JSON does not support",
    async (value) => {
      expect((await checkJson({ type: "string" }, value)).ok).toBe(false)
    },
  )

  it("follows a reference into an unknown keyword", async () => {
    const schema = { $ref: "#/components/schemas/Id", components: { schemas: { Id: { type: "string" } } } }

    expect([(await checkJson(schema, "x")).ok, (await checkJson(schema, 1)).ok]).toEqual([true, false])
  })

  it("checks keys such as __proto__ like any other", async () => {
    const schema = JSON.parse('{ "properties": { "__proto__": { "type": "string" } } }')

    expect((await checkJson(schema, JSON.parse('{ "__proto__": 1 }'))).ok).toBe(false)
  })
})

describe("loadTrustedCheck", () => {
  it("is synchronous for any pattern", async () => {
    const check = await loadTrustedCheck({ type: "string", pattern: "^(a|b)+$" })

    expect([check("ab").ok, check("c").ok]).toEqual([true, false])
  })

  it("knows the formats", async () => {
    const check = await loadTrustedCheck({ type: "string", format: "date" })

    expect([check("2026-02-28").ok, check("2026-02-30").ok]).toEqual([true, false])
  })
})
