import { findByPointer, formatPointer } from "@x/base"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { fitting } from "../test/support/fitting.js"
import { toJudge } from "../test/support/judge.js"
import { anySchema } from "../test/support/schema.js"
import type { ProfileName } from "./profile-name.js"
import { type PublishedInput, publish } from "./publish.js"
import { SchemaError } from "./schema-error.js"
import type { ValuePath } from "./way.js"

// The reference validators take time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const map = (values: object) => ({ type: "object", additionalProperties: values })
const input = (properties: object) => ({ type: "object", properties })

describe("toSentPlace", () => {
  it.each<[string, { schema: object; args: object; path: ValuePath }, string]>([
    [
      "a property that was renamed",
      { schema: input({ "due date": {} }), args: { due_date_68m3n1a5x: "{}" }, path: ["due date"] },
      "/due_date_68m3n1a5x",
    ],
    [
      "one that was sent by its own name",
      { schema: input({ "due date": {} }), args: { "due date": 1 }, path: ["due date"] },
      "/due date",
    ],
    ["one that is missing", { schema: input({ "due date": {} }), args: {}, path: ["due date"] }, "/due_date_68m3n1a5x"],
    [
      "an entry of a map",
      {
        schema: input({ labels: map({ type: "integer" }) }),
        args: { labels: [{ key: "x", value: "1" }] },
        path: ["labels", "x"],
      },
      "/labels/0/value",
    ],
    [
      "the last entry of a key",
      {
        schema: input({ labels: map({ type: "integer" }) }),
        args: {
          labels: [
            { key: "x", value: 1 },
            { key: "x", value: 2 },
          ],
        },
        path: ["labels", "x"],
      },
      "/labels/1/value",
    ],
    [
      "what is below a map of lists of maps",
      {
        schema: input({ a: map({ type: "array", items: map({ type: "string" }) }) }),
        args: { a: [{ key: "k", value: [[], [{ key: "l", value: 1 }]] }] },
        path: ["a", "k", 1, "l"],
      },
      "/a/0/value/1/0/value",
    ],
    [
      "a map that was sent as it is",
      { schema: input({ labels: map({ type: "integer" }) }), args: { labels: { x: "1" } }, path: ["labels", "x"] },
      "/labels/x",
    ],
    [
      "what is wrapped",
      {
        schema: { type: "array", items: map({ type: "integer" }) },
        args: { value: [[{ key: "x", value: "1" }]] },
        path: [0, "x"],
      },
      "/value/0/0/value",
    ],
    [
      "the whole of what is wrapped",
      { schema: { type: "array", title: "Some cards" }, args: { Some_cards: "x" }, path: [] },
      "/Some_cards",
    ],
    [
      "what is within JSON text",
      { schema: input({ any: {} }), args: { any: '{"a":[1]}' }, path: ["any", "a", 0] },
      "/any",
    ],
    [
      "an alternative that the value looks like",
      {
        schema: input({ a: { anyOf: [{ type: "string" }, map({ type: "integer" })] } }),
        args: { a: [{ key: "x", value: "1" }] },
        path: ["a", "x"],
      },
      "/a/0/value",
    ],
    ["what is not there at all", { schema: input({ a: { type: "string" } }), args: {}, path: ["a"] }, "/a"],
  ])("finds %s", (_, { schema, args, path }, pointer) => {
    const place = publish({ ...schema }, { profile: "openai-strict" }).toSentPlace(path, { ...args })

    expect(formatPointer(place)).toBe(pointer)
  })

  it("finds the text in which an object was sent", () => {
    const { toSentPlace } = publish(input({ tags: { type: "array", items: {} } }), { jsonText: true })

    expect(toSentPlace(["tags", 0], { tags: "[1]" })).toEqual(["tags"])
  })

  it.each<ProfileName>(["portable", "openai-strict", "gemini"])(
    "finds for %s whatever came from the arguments, or the text it was in",
    (profile) => {
      fc.assert(
        fc.property(anySchema(), fc.nat(), (author, seed) => {
          const published = attempt(author, profile)
          fc.pre(published !== undefined)
          if (published === undefined) return
          const judge = toJudge(published.schema)
          for (const args of fc.sample(fitting(published.schema), { numRuns: 5, seed })) {
            if (judge(args) !== true) continue
            for (const [path, value] of leaves(published.toInput(Object(args)))) {
              const place = published.toSentPlace(path, Object(args))
              const sent = findByPointer(Object(args), formatPointer(place))

              expect(typeof sent === "string" || sent === value, JSON.stringify({ args, path, place })).toBe(true)
            }
          }
        }),
        { numRuns: 200 },
      )
    },
  )
})

/** Returns the leaves of a value. */
function leaves(value: unknown, path: ValuePath = []): readonly (readonly [ValuePath, unknown])[] {
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [[path, value]]
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, member]) => leaves(member, [...path, key]))
}

/** Returns `undefined` for a cyclic reference. */
function attempt(author: Record<string, unknown>, profile: ProfileName): PublishedInput | undefined {
  try {
    return publish(author, { profile })
  } catch (error) {
    if (error instanceof SchemaError && error.code === "dangling_ref") return undefined
    throw error
  }
}
