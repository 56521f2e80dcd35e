import { type AgenticService, action, createAgenticService, type JsonSchema, type Outcome } from "@x/agentic-service"
import { NEVER, of } from "rxjs"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { NASTY_SCHEMAS } from "../../../tool-schemas/test/support/nasty-schemas.js"
import { createRig, toolNames } from "./catalogue.fixture.js"

/** Creates a service written by hand, with arbitrary schemas. */
function createByHand(schemas: Readonly<Record<string, unknown>>): AgenticService {
  const execute = async (): Promise<Outcome> => ({ ok: true })
  const actions = Object.entries(schemas).map(([key, schema]) => [
    key,
    // Its type may be wrong.
    { description: key, schema: schema as JsonSchema, hints: {}, execute },
  ])
  return {
    name: "hand",
    states: of({}),
    actions: of(Object.fromEntries(actions)),
    links: of({}),
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
    execute,
    close: () => undefined,
  }
}

describe("createCatalogue", () => {
  it("lists actions with unusual schemas, and leaves out actions with invalid ones", () => {
    const bad = {
      a_network_ref: { type: "object", properties: { a: { $ref: "https://example.com/a" } } },
      b_dangling_ref: { type: "object", properties: { a: { $ref: "#/$defs/none" } } },
      c_no_schema: { type: "object", properties: { a: 5 } },
      d_too_large: { properties: Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [index, {}])) },
    }
    const nasty = Object.fromEntries(Object.values(NASTY_SCHEMAS).map((schema, index) => [`nasty${index}`, schema]))
    const { catalogue, diagnostics } = createRig(createByHand({ ...bad, ...nasty }))

    expect(toolNames(catalogue.read()).sort()).toEqual(Object.keys(nasty).sort())
    expect(diagnostics.filter(({ code }) => code === "schema_unpublishable").map(({ key }) => key)).toEqual(
      Object.keys(bad),
    )
  })

  it("publishes dates, files and whole numbers, and leaves out types that JSON Schema cannot express", () => {
    const live = action({
      description: "Book",
      input: z.object({ when: z.date(), count: z.bigint(), image: z.file() }),
      execute: () => {},
    })
    const map = action({
      description: "Count",
      input: z.object({ all: z.map(z.string(), z.number()) }),
      execute: () => {},
    })
    const { catalogue, diagnostics } = createRig(createAgenticService({ name: "board", actions: { live, map } }))

    expect(toolNames(catalogue.read())).toEqual(["live"])
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      [
        "schema_unpublishable",
        'action "map" is left out: JSON Schema cannot express it: Map cannot be represented in JSON Schema',
      ],
    ])
  })
})
