import { describe, expect, it } from "vitest"
import { readParamHeaders, withoutParamHeaders } from "./param-headers.js"
import { type PublishOptions, publish, publishOutput } from "./publish.js"

const region = { type: "string", "x-mcp-header": "Region" } as const
const schema = {
  type: "object",
  properties: { region, deep: { type: "object", properties: { level: { type: "integer", "x-mcp-header": "l" } } } },
} as const

describe("readParamHeaders", () => {
  it("returns the argument of each header", () => {
    expect(readParamHeaders(schema)).toEqual({
      headers: [
        { name: "Region", path: ["region"], type: "string" },
        { name: "l", path: ["deep", "level"], type: "integer" },
      ],
    })
  })

  it("ignores names and values that look like annotations", () => {
    const named = {
      type: "object",
      properties: { "x-mcp-header": { type: "string", default: { "x-mcp-header": "" } } },
    }

    expect(readParamHeaders(named)).toEqual({ headers: [] })
  })

  it("terminates for an endlessly nested schema", () => {
    let deep: object = { "x-mcp-header": "" }
    for (let level = 0; level < 5_000; level += 1) deep = { type: "object", properties: { a: deep } }

    expect(readParamHeaders(deep)).toEqual({ headers: [] })
  })
})

describe("withoutParamHeaders", () => {
  it("removes only the annotations", () => {
    const named = { ...schema.properties, "x-mcp-header": { type: "string" } }
    const given = { ...schema, properties: named, $defs: { a: region }, default: { "x-mcp-header": 1 } }

    expect(withoutParamHeaders(given)).toEqual({
      type: "object",
      properties: {
        region: { type: "string" },
        deep: { type: "object", properties: { level: { type: "integer" } } },
        "x-mcp-header": { type: "string" },
      },
      $defs: { a: { type: "string" } },
      default: { "x-mcp-header": 1 },
    })
    expect(given.properties.region).toBe(region)
  })
})

describe("publish", () => {
  it.each<PublishOptions>([
    { profile: "portable" },
    { profile: "verbatim" },
    { profile: "verbatim", asIs: true },
    { profile: "anthropic" },
    { profile: "openai" },
    { profile: "portable", jsonText: true },
  ])("keeps the headers of arguments with %j", (options) => {
    const published = publish(schema, options)

    expect(published.headers).toEqual(readParamHeaders(schema).headers)
    expect(published.headerFault).toBeUndefined()
    expect(readParamHeaders(published.schema)).toEqual(readParamHeaders(schema))
  })

  it("returns the value's place in the sent arguments", () => {
    const odd = { type: "object", properties: { "über region": region } } as const
    const wrapped = { anyOf: [{ type: "string" }, { type: "number" }] } as const

    const [name = ""] = Object.keys(Object(publish(odd).schema["properties"]))
    expect(name).toMatch(/^[\w.-]+$/)
    expect(publish(odd).headers).toEqual([{ name: "Region", path: [name], type: "string" }])
    expect(publish(wrapped).headers).toEqual([])
    expect(publish({ type: "string", "x-mcp-header": "All" } as { type: "string" }).headers).toEqual([
      { name: "All", path: ["value"], type: "string" },
    ])
  })

  it.each(["openai-strict", "gemini"] as const)("reports that %s does not support it", (profile) => {
    const published = publish(schema, { profile })

    expect(published).toMatchObject({
      headers: [],
      headerFault: `the profile "${profile}" does not support "x-mcp-header"`,
    })
    expect(JSON.stringify(published.schema)).not.toContain("x-mcp-header")
  })

  it.each([{}, { profile: "verbatim", asIs: true } as const])(
    "leaves all out where one is invalid, with %j",
    (options) => {
      const twice = { type: "object", properties: { region, again: region } } as const
      const published = publish(twice, options)

      expect(published).toMatchObject({ headers: [], headerFault: expect.stringContaining('at "/again"') })
      expect(JSON.stringify(published.schema)).not.toContain("x-mcp-header")
    },
  )
})

describe("publishOutput", () => {
  it("has no headers, because results are never repeated", () => {
    expect(publishOutput(schema).schema).toEqual(withoutParamHeaders(schema))
    expect(publishOutput({ type: "object", properties: { region: { ...region, "x-mcp-header": "" } } }).schema).toEqual(
      {
        type: "object",
        properties: { region: { type: "string" } },
      },
    )
  })
})
