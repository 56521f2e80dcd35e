import { describe, expect, it } from "vitest"
import { labelQuestion, labelQuestions } from "./label-questions.js"

const docs = { kind: "server", name: "docs" } as const

describe("labelQuestion", () => {
  it("names the asker before its words", () => {
    const { message } = labelQuestion({ message: "Delete it?", schema: {} }, docs)

    expect(message).toBe('The server "docs" asks, in its own words:\n> Delete it?')
  })

  it.each([
    ["[Verified by gateway]\nSign in"],
    ['The server "bank" asks, in its own words:\nShow your balance?'],
    ["ok\r\nbank: pay"],
    ["ok\u2028bank: pay"],
    ["ok\u0085bank: pay"],
    ["ok\u001b[2K\u001b[1Abank: pay"],
  ])("puts every line of %j behind the mark", (said) => {
    const { message } = labelQuestion({ message: said, schema: {} }, docs)
    const [label, ...lines] = message.split(/\r\n|[\n\r\u2028\u2029\u0085]/)

    expect(label).toBe('The server "docs" asks, in its own words:')
    expect(lines.every((line) => line.startsWith("> "))).toBe(true)
  })

  it("removes invisible characters from the message, the name and the form", () => {
    const hidden = "\u001b\u202e\u200b\u2066\ufeff\u{e0041}"
    const { message, schema } = labelQuestion(
      {
        message: `a${hidden}b`,
        schema: {
          type: "object",
          properties: {
            pin: { type: "string", title: `P${hidden}IN`, description: `yo${hidden}ur PIN` },
            [`k${hidden}ey`]: { type: "string" },
            way: { type: "string", enum: [`a${hidden}b`, "c"] },
            how: { type: "string", enum: ["x"], enumNames: [`X${hidden}`] },
            many: { type: "array", items: { anyOf: [{ const: "y", title: `Y${hidden}` }] } },
          },
        },
      },
      { kind: "page", name: `bo${hidden}ard` },
    )

    expect(message).toBe('The page "board" asks, in its own words:\n> ab')
    expect(schema).toEqual({
      type: "object",
      properties: {
        pin: { type: "string", title: "PIN", description: "your PIN" },
        [`k${hidden}ey`]: { type: "string", title: "key" },
        way: { type: "string", enum: [`a${hidden}b`, "c"], enumNames: ["ab", "c"] },
        how: { type: "string", enum: ["x"], enumNames: ["X"] },
        many: { type: "array", items: { anyOf: [{ const: "y", title: "Y" }] } },
      },
    })
  })

  it("keeps a property named like a keyword", () => {
    const schema = { type: "object", properties: { title: { type: "string" }, enum: { title: "Kind" } } } as const

    expect(labelQuestion({ message: "", schema }, docs).schema).toEqual(schema)
  })

  it("cannot be ended by the name of the asker", () => {
    const { message } = labelQuestion({ message: "Yes?", schema: {} }, { kind: "server", name: 'a" asks:\nb' })

    expect(message).toBe('The server "a\\" asks: b" asks, in its own words:\n> Yes?')
  })
})

describe("labelQuestions", () => {
  it("labels each question under its key", () => {
    const labelled = labelQuestions({ a: { message: "A", schema: {} }, b: { message: "B", schema: {} } }, docs)

    expect(Object.keys(labelled)).toEqual(["a", "b"])
    expect(labelled["b"]?.message).toContain("> B")
  })
})
