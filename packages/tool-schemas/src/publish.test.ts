import { describe, expect, it } from "vitest"
import { publish } from "./publish.js"
import { SchemaError, type SchemaErrorCode } from "./schema-error.js"

/** Each definition requires the previous one twice, for the same value. */
const doublingInPlace = Object.fromEntries(
  Array.from({ length: 15 }, (_, index) => {
    const before = { $ref: `#/$defs/d${index - 1}` }
    return [`d${index}`, index === 0 ? { type: "string" } : { allOf: [before, before] }] as const
  }),
)

describe("publish", () => {
  it("publishes no input as a closed empty object [tool-no-input]", () => {
    const { schema, wrapped, toInput } = publish(undefined, { profile: "verbatim" })

    expect(schema).toEqual({ type: "object", properties: {}, additionalProperties: false })
    expect([wrapped, toInput({})]).toEqual([undefined, undefined])
  })

  it("keeps a plain object, and adds empty properties", () => {
    const { schema, toInput } = publish({ type: "object", description: "Anything" })
    const args = { a: 1 }

    expect(schema).toEqual({ type: "object", description: "Anything", properties: {} })
    expect(toInput(args)).toBe(args)
  })

  it("treats properties without a type as an object", () => {
    expect(publish({ properties: { a: true } }).schema).toEqual({ type: "object", properties: { a: {} } })
  })

  it.each([
    [{ type: "string", title: "Card id" }, "Card_id"],
    [{ type: "array", items: { type: "number" } }, "value"],
    [{ type: ["object", "null"], title: "日本" }, "value"],
    [{ type: "object", anyOf: [{ required: ["a"] }] }, "value"],
    [{ oneOf: [{ type: "object" }, { type: "null" }] }, "value"],
    [{ type: "object", const: {} }, "value"],
    [{ type: "object", enum: [{}] }, "value"],
    [{ type: "object", not: { required: ["a"] } }, "value"],
    [{ type: "object", allOf: [{ required: ["a"] }] }, "value"],
    [{ type: "object", if: { required: ["a"] }, else: { required: ["b"] } }, "value"],
  ])("puts %j under one required property", (author, name) => {
    const { schema, wrapped, toInput } = publish(author, { profile: "verbatim" })

    expect(schema).toEqual({
      type: "object",
      properties: { [name]: author },
      required: [name],
      additionalProperties: false,
    })
    expect(wrapped).toBe(name)
    expect(toInput({ [name]: 5 })).toBe(5)
    expect(toInput(Object.create({ [name]: 5 }))).toBeUndefined()
  })

  it.each([
    { type: "object", anyOf: [{ required: ["a"] }] },
    { type: "object", const: {} },
    { type: "object", not: { required: ["a"] } },
    { type: "object", allOf: [{ required: ["a"] }] },
    { type: "object", if: { required: ["a"] }, else: { required: ["b"] } },
    { $schema: "http://json-schema.org/draft-07/schema#", type: "object", definitions: { a: { $anchor: "b" } } },
    { type: "object", properties: { a: { type: "string", "x-mcp-header": "A", nullable: true } }, "x-more": [null] },
    { type: "object", additionalProperties: { type: "string" }, $comment: "a map" },
    { properties: { a: { $ref: "#/definitions/b" } }, type: "object", required: ["a", "a"], definitions: { b: true } },
  ])("publishes %j of an MCP server as it is with verbatim, and takes arguments as they are", (author) => {
    const published = publish(author, { profile: "verbatim", asIs: true })
    const args = { value: { a: "[1]" } }

    expect(JSON.stringify(published.schema)).toBe(JSON.stringify(author))
    expect([published.wrapped, published.changes]).toEqual([undefined, []])
    expect(published.toInput(args)).toBe(args)
    expect(published.toSentPlace(["value", "a"], args)).toEqual(["value", "a"])
    expect(publish(author, { asIs: true }).schema).toEqual(publish(author).schema)
  })

  it("publishes schemas without plain JSON, or an object at the root, as 2020-12", () => {
    const author = { type: "object", properties: { a: { type: "number" } }, more: () => 1 }
    const options = { profile: "verbatim", asIs: true } as const

    expect(publish(author, options).schema).toEqual({ type: "object", properties: { a: { type: "number" } } })
    expect(publish({ type: "string" }, options).wrapped).toBe("value")
  })

  it("wraps a map, which some hosts would close, and keeps an object that is open by default", () => {
    const named = { type: "object", properties: { a: { type: "string" } } }

    expect(publish({ ...named, additionalProperties: {} }).schema).toEqual(named)
    expect(publish({ ...named, additionalProperties: { type: "string" } }).wrapped).toBe("value")
    expect(publish({ ...named, additionalProperties: {}, unevaluatedProperties: false }).wrapped).toBe("value")
  })

  it("wraps a boolean without publishing one", () => {
    expect(publish(true, { profile: "verbatim" }).schema["properties"]).toEqual({ value: {} })
    expect(publish(false, { profile: "verbatim" }).schema["properties"]).toEqual({ value: { not: {} } })
  })

  it("returns the same frozen result for the same schema, without changing the author's", () => {
    const author = { type: "object", properties: { a: { default: { b: [1] } } } }
    const before = structuredClone(author)
    const { schema } = publish(author, { profile: "verbatim" })

    expect(publish(author, { profile: "verbatim" })).toBe(publish(author, { profile: "verbatim" }))
    expect(() => Reflect.set(Object(schema["properties"]).a.default.b, "0", 2)).not.toThrow()
    expect(schema).toEqual(before)
    expect(author).toEqual(before)
    expect(Object.isFrozen(author.properties.a.default)).toBe(false)
  })

  it("publishes a plain object behind a root reference as the root", () => {
    const document = {
      $ref: "#/components/schemas/Chat",
      components: {
        schemas: {
          Chat: { type: "object", properties: { text: { $ref: "#/components/schemas/Text" } } },
          Text: { type: "string" },
        },
      },
    }

    expect(publish(document, { profile: "verbatim" }).schema).toEqual({
      type: "object",
      properties: { text: { $ref: "#/$defs/Text" } },
      $defs: { Text: { type: "string" } },
    })
  })

  it("moves any local reference's target into $defs, under any name", () => {
    const { schema } = publish(
      {
        type: "object",
        properties: {
          a: { $ref: "#/definitions/a%20b~1c", description: "Beside it" },
          b: { $ref: "#/properties/c/items" },
          c: { type: "array", items: { type: "number" } },
          d: { $ref: "#/$defs/any" },
        },
        definitions: { "a b/c": { $ref: "#/$defs/a" }, unused: { type: "null" } },
        $defs: { a: { type: "string" }, any: true },
      },
      { profile: "verbatim" },
    )

    expect(schema).toEqual({
      type: "object",
      properties: {
        a: { description: "Beside it", $ref: "#/$defs/a_20b_1c" },
        b: { $ref: "#/$defs/items" },
        c: { type: "array", items: { type: "number" } },
        d: {},
      },
      $defs: { a_20b_1c: { $ref: "#/$defs/a" }, items: { type: "number" }, a: { type: "string" } },
    })
  })

  it("distinguishes two definitions of one name", () => {
    const { schema } = publish(
      {
        properties: { a: { $ref: "#/$defs/x" }, b: { $ref: "#/definitions/x" } },
        $defs: { x: { type: "string" } },
        definitions: { x: { type: "number" } },
      },
      { profile: "verbatim" },
    )

    expect(schema["$defs"]).toEqual({ x: { type: "string" }, x_2: { type: "number" } })
  })

  it("turns an object that contains itself into a reference", () => {
    const tree: Record<string, unknown> = { type: "object", title: "Tree" }
    tree["properties"] = { children: { type: "array", items: tree } }
    const body = {
      type: "object",
      title: "Tree",
      properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
    }

    expect(publish(tree, { profile: "verbatim" }).schema).toEqual({ ...body, $defs: { Tree: body } })
  })

  it("resolves references of an embedded schema from its own root", () => {
    const embedded = { $id: "https://x/y", $ref: "https://x/y#/$defs/z", $defs: { z: { type: "null" } } }
    const { schema } = publish(
      { properties: { a: embedded }, $defs: { z: { type: "string" } } },
      { profile: "verbatim" },
    )

    expect(schema["$defs"]).toEqual({ z: { type: "null" } })
  })

  it("treats an object without keywords as any object, as authors mean it", () => {
    const { schema, wrapped, toInput } = publish({ description: "Whatever there is" })

    expect(schema).toEqual({ type: "object", description: "Whatever there is", properties: {} })
    expect(wrapped).toBeUndefined()
    expect(toInput({ a: 1 })).toEqual({ a: 1 })
    expect(publish({}, { profile: "openai-strict" }).toInput({ value: '{"a":1}' })).toEqual({ a: 1 })
  })

  it.each<[SchemaErrorCode, unknown]>([
    ["network_ref", { properties: { a: { $ref: "https://example.com/a.json" } } }],
    ["network_ref", { properties: { a: { $ref: "other.json#/a" } } }],
    ["dangling_ref", { properties: { a: { $ref: "#/$defs/none" } } }],
    ["dangling_ref", { properties: { a: { $ref: "#/constructor" } } }],
    ["dangling_ref", { properties: { a: { $ref: "#/%" } } }],
    ["dangling_ref", { $ref: "#" }],
    [
      "dangling_ref",
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    ],
    [
      "dangling_ref",
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { anyOf: [{}, { $ref: "#/$defs/a" }] } } },
    ],
    ["too_large", { properties: { a: { $ref: "#/$defs/d14" } }, $defs: doublingInPlace }],
    ["not_a_schema", { properties: { a: "string" } }],
    ["not_a_schema", { properties: { a: { "~standard": { vendor: "zod" }, type: "string" } } }],
    ["not_a_schema", { properties: 5 }],
    ["not_a_schema", null],
    ["not_a_schema", []],
    ["too_deep", nest(70)],
    ["too_large", { properties: Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [index, {}])) }],
  ])("refuses with %s: %o [schema-no-fetch, schema-bounds]", (code, author) => {
    // Foreign services may pass anything, regardless of its type.
    const attempt = () => publish(author as Record<string, unknown>)

    expect(attempt).toThrow(SchemaError)
    expect(attempt).toThrow(expect.objectContaining({ code }))
  })

  it("rejects a schema that throws when read, and keeps the cause", () => {
    const cause = new Error("no")
    const author = Object.defineProperty({}, "type", {
      enumerable: true,
      get() {
        throw cause
      },
    })

    expect(() => publish(author, { profile: "verbatim" })).toThrow(
      expect.objectContaining({ code: "unreadable", cause }),
    )
  })

  it("terminates for a schema that doubles at each level [schema-bounds]", () => {
    const doubling = Array.from({ length: 40 }).reduce<object>((inner) => ({ anyOf: [inner, inner] }), {})

    expect(() => publish({ properties: { a: doubling } })).toThrow(expect.objectContaining({ code: "too_large" }))
  })
})

function nest(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((inner) => ({ type: "array", items: inner }), {})
}
