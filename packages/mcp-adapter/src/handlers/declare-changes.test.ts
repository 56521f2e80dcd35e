import { type ObjectSchema, publishOutput } from "@x/tool-schemas"
import { describe, expect, it } from "vitest"
import type { ToolDefinition } from "../catalogue/entry.js"
import { declareChanges } from "./declare-changes.js"

function definitionWith(outputSchema?: ObjectSchema): ToolDefinition {
  return {
    name: "run",
    description: "Run",
    inputSchema: { type: "object" },
    ...(outputSchema && { outputSchema }),
    annotations: { destructiveHint: false },
  }
}

describe("declareChanges", () => {
  it("adds one optional property, beside a wrapped result too", () => {
    const { schema } = publishOutput({ type: "string" })

    expect(declareChanges(definitionWith(schema)).outputSchema).toEqual({
      ...schema,
      properties: { result: { type: "string" }, changes: { type: "object", description: expect.any(String) } },
      required: ["result"],
    })
  })

  it("gives the same object for the same definition", () => {
    const definition = definitionWith({ type: "object", properties: {} })

    expect(declareChanges(definition)).toBe(declareChanges(definition))
  })

  it.each<[string, ObjectSchema | undefined]>([
    ["no output schema", undefined],
    ["a property of that name", { type: "object", properties: { changes: { type: "string" } } }],
    ["a rule for names", { type: "object", propertyNames: { maxLength: 3 } }],
    ["a rule for patterns", { type: "object", patternProperties: { "^c": { type: "number" } } }],
    ["a choice of two objects", { type: "object", anyOf: [{ additionalProperties: false }, {}] }],
    [
      "a rule by reference",
      { type: "object", $ref: "#/$defs/closed", $defs: { closed: { additionalProperties: false } } },
    ],
    ["a bound on the number", { type: "object", maxProperties: 1 }],
  ])("leaves a definition with %s as it is", (_, outputSchema) => {
    const definition = definitionWith(outputSchema)

    expect(declareChanges(definition)).toBe(definition)
  })
})
