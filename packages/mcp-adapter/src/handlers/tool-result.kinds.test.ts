import { type Action, createAgenticService, type Outcome } from "@x/agentic-service"
import { parseJson } from "@x/base"
import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer } from "./answer.fixture.js"

class Card {
  readonly title = "milk"
}

/** Possible results of actions, by kind. */
const kinds: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  boolean: false,
  number: 56,
  bigint: 2n ** 70n,
  string: "c42",
  "empty string": "",
  "string of digits": "56",
  "string in quotes": '"c42"',
  "string of a list": "\t[1, 2]",
  "string that says null": "null",
  "string of spaces": " \n ",
  array: [1, 2],
  object: { a: 1 },
  bytes: new Uint8Array([1, 2, 255]),
  date: new Date(0),
  map: new Map([["a", 1]]),
  "map of other keys": new Map([[1, 2]]),
  "class instance": new Card(),
  error: new Error("secret"),
  "half a character": "half \ud83d",
  "half a character within": { "\udc00": ["\ud83d"] },
  "10 MB": "x".repeat(10_000_000),
}
const structures: Action["output"][] = [
  undefined,
  {},
  { type: ["object", "array", "string", "number", "boolean", "null"] },
]

/** Calls an action of a service written by hand. */
async function resultOf(outcome: Outcome, output: Action["output"]) {
  const check: Action["check"] = (input) => ({ ok: true, input })
  const described = { description: "Run", schema: undefined, hints: {}, ...(output !== undefined && { output }) }
  const run: Action = { ...described, check, execute: async () => outcome }
  const service = { ...createAgenticService({ name: "hand" }), actions: of({ run }) }
  return answer(service, { wholeResultChars: 20_000_000 }).request("tools/call", { name: "run" })
}

describe.each(structures)("a result, with the output schema %j", (output) => {
  it.each(Object.entries(kinds))("of the kind %s is a success whose text no host misreads", async (_, value) => {
    const result = await resultOf({ ok: true, value }, output)

    const texts = (result["content"] as { text: string }[]).map(({ text }) => text) // the shape of a tools/call result
    const bare = texts
      .map(parseJson)
      .filter((json) => json !== undefined && (typeof json !== "object" || json === null || Array.isArray(json)))
    expect([result["isError"], bare, texts.some((text) => text.trim() === "")]).toEqual([undefined, [], false])
    expect(JSON.stringify(result)).not.toMatch(/\\ud[89a-f]/)
  })
})

describe("a block of an author", () => {
  it("is left out when its text is blank", async () => {
    const content = ["", " \n", "words"].map((text) => ({ type: "text" as const, text }))
    const result = await resultOf({ ok: true, content }, undefined)

    expect(result["content"]).toEqual([{ type: "text", text: "words" }])
  })
})

describe("a failure", () => {
  it.each(Object.entries(kinds))(
    "that carries %s stays a failure, in well-formed characters",
    async (_, structured) => {
      const result = await resultOf({ ok: false, message: "no \ud83d", structured }, undefined)

      expect([result["isError"], JSON.stringify(result).search(/\\ud[89a-f]/)]).toEqual([true, -1])
    },
  )

  it("says that it failed when its author gives no message", async () => {
    const result = await resultOf({ ok: false, message: " \n" }, undefined)

    expect(result["content"]).toEqual([{ type: "text", text: "the action failed" }])
  })

  it("of a foreign action keeps its own words", async () => {
    const result = await resultOf({ ok: false, message: "nobody sleeps here", code: "action_failed" }, undefined)

    expect(result["content"]).toEqual([{ type: "text", text: "nobody sleeps here" }])
  })
})
