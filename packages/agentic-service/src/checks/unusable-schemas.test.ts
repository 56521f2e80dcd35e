import { type } from "arktype"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { action, createAgenticService } from "../index.js"
import type { AnySchema } from "../infer.js"
import { exportSchema } from "./export-schema.js"

/** Declares an action with an input or output, and returns the service's actions and first report. */
function declare(schemas: { readonly input?: unknown; readonly output?: unknown }) {
  // Some are no schemas even to the compiler.
  const options = schemas as { readonly input?: AnySchema; readonly output?: AnySchema }
  const other = action({ description: "Has nothing to do with it", execute: () => undefined })
  const service = createAgenticService({
    name: "x",
    actions: { act: action({ description: "Acts", ...options, execute: () => ({}) }), other },
  })
  let reported = ""
  service.failures.subscribe(({ key, cause }) => {
    reported ||= `${key}: ${cause instanceof Error ? cause.message : ""}`
  })
  let keys: readonly string[] = []
  service.actions.subscribe((actions) => {
    keys = Object.keys(actions)
  })
  service.close()
  return { keys, reported, declared: Object.keys(service.declared.actions) }
}

/** The shape of Effect 4's wrapper for JSON Schema alone. */
const jsonOnly = {
  "~standard": { version: 1, vendor: "effect", jsonSchema: { input: () => ({}), output: () => ({}) } },
}

describe("an action whose schema can never be met", () => {
  it.each<[string, { readonly input?: unknown; readonly output?: unknown }, string]>([
    [
      "a Date of arktype",
      { input: type({ at: "Date" }) },
      'at "/at", nothing is allowed ("a Date, which JSON cannot carry',
    ],
    ["a bigint of arktype", { input: type({ n: "bigint" }) }, "bigint, which JSON cannot carry"],
    ["a Map of arktype", { input: type({ m: "Map" }) }, "an instance of Map, which JSON cannot carry"],
    ["crossed bounds of zod", { input: z.object({ a: z.string().min(5).max(2) }) }, "at least 5 and at most 2"],
    ["a schema that cannot check", { input: jsonOnly }, 'without "validate", which cannot check values; pass Schema.'],
    ["one for what it returns", { output: jsonOnly }, 'without "validate"'],
    [
      "a misspelt required property",
      { input: { type: "object", properties: { text: {} }, required: ["txet"], additionalProperties: false } },
      'its input schema accepts no value: it requires "txet", which its properties do not allow',
    ],
    ["an output that no value fits", { output: { type: "string", enum: [1] } }, "its output schema accepts no value"],
  ])("is left out and told of at the start: %s", (_, schemas, words) => {
    const { keys, reported, declared } = declare(schemas)

    expect([keys, declared]).toEqual([["other"], ["other"]])
    expect(reported).toContain("act: ")
    expect(reported).toContain(words)
  })

  it.each<[string, AnySchema]>([
    ["a date that is parsed from text", type({ at: "string.date.iso.parse" })],
    ["a date that may be text", type({ at: "string | Date" })],
    ["a date that may be left out", type({ "at?": "Date", n: "number" })],
    ["anything at all", type({ any: "unknown" })],
  ])("is there with %s", (_, input) => {
    expect(declare({ input })).toMatchObject({ keys: ["act", "other"], reported: "" })
  })

  it("exports arktype's output of values that JSON writes as text", () => {
    expect(exportSchema(type({ at: "Date" }), "output")).toMatchObject({ properties: { at: {} } })
  })
})
