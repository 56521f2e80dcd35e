import { describe, expect, it } from "vitest"
import { NASTY_SCHEMAS } from "../../test/support/nasty-schemas.js"
import type { Keywords } from "../json-schema.js"
import { publish } from "../publish.js"

const tree: Keywords = {
  type: "object",
  properties: { root: { $ref: "#/$defs/node" } },
  required: ["root"],
  $defs: {
    node: {
      type: "object",
      properties: { "own name": { type: "string" }, below: { type: "array", items: { $ref: "#/$defs/node" } } },
      required: ["own name"],
    },
  },
}

describe("usedAgain", () => {
  it.each(["a definition used often", "references that double at every level", "components of OpenAPI"])(
    "makes %s no larger than its author did, where references may stay",
    (name) => {
      const author = NASTY_SCHEMAS[name]
      if (author === undefined) throw new Error(`no schema is called ${name}`)
      const { schema } = publish(author, { profile: "openai" })

      expect(JSON.stringify(schema).length).toBeLessThanOrEqual(JSON.stringify(author).length)
    },
  )

  it("expands definitions that are used once", () => {
    const author = { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } }

    expect(publish(author, { profile: "openai" }).schema).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
    })
  })

  it("keeps recursive definitions, and restores values at all levels", () => {
    const { schema, toInput, toSentPlace } = publish(tree, { profile: "openai-strict" })
    const [name = ""] = Object.keys(Object(schema["$defs"]).node.properties)
    const leaf = { [name]: "leaf", below: null }
    const args = { root: { [name]: "root", below: [{ [name]: "branch", below: [leaf] }] } }

    expect(name).toMatch(/^own_name_/)
    expect(toInput(args)).toEqual({
      root: { "own name": "root", below: [{ "own name": "branch", below: [{ "own name": "leaf" }] }] },
    })
    expect(toSentPlace(["root", "below", 0, "below", 0, "own name"], args)).toEqual([
      "root",
      "below",
      0,
      "below",
      0,
      name,
    ])
  })

  it("expands them when no references may stay", () => {
    expect(JSON.stringify(publish(tree, { profile: "portable" }).schema)).not.toContain("$ref")
  })
})

describe("usedAgain", () => {
  const big = { type: "string", description: "A long description, which is better said only once. ".repeat(5) }
  const keepsDefs = (properties: object): boolean =>
    "$defs" in publish({ type: "object", properties, $defs: { big } }, { profile: "openai" }).schema

  it.each([
    ["in anyOf", { either: { anyOf: [{ $ref: "#/$defs/big" }, { type: "integer" }] } }],
    ["in items", { list: { type: "array", items: { $ref: "#/$defs/big" } } }],
    ["under a name that is a keyword", { default: { $ref: "#/$defs/big" } }],
  ])("counts a reference %s", (_, properties) => {
    expect(keepsDefs({ one: { $ref: "#/$defs/big" }, ...properties })).toBe(true)
  })

  it("ignores values that look like references", () => {
    const examples = [{ $ref: "#/$defs/big" }]

    expect(keepsDefs({ one: { $ref: "#/$defs/big" }, two: { type: "object", examples } })).toBe(false)
  })
})
