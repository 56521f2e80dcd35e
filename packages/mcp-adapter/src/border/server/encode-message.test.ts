import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ToolDefinition } from "../../catalogue/entry.js"
import { createToolPages } from "../../handlers/tool-pages.js"
import { createLedger, hostClock } from "../../runtime/host.js"
import { createToolBytes, encodeMessage } from "./encode-message.js"
import { type Encoded, joinEncoded, sizeOfEncoded } from "./encoded.js"

const host = () => ({ clock: hostClock, ledger: createLedger(), report: () => {} })
const takePage = createToolPages(
  1_000,
  () => false,
  (tool) => tool,
)
const pageOf = (tools: readonly ToolDefinition[]) => takePage(tools, undefined).items

function toTool(name: string, description = "Does it"): ToolDefinition {
  return { name, description, inputSchema: { type: "object" }, annotations: { destructiveHint: false } }
}

function toTools(count: number): readonly ToolDefinition[] {
  return Array.from({ length: count }, (_, index) => toTool(`tool_${String(index).padStart(5, "0")}`))
}

function textOf(encoded: Encoded): string {
  return typeof encoded === "string" ? encoded : Buffer.concat(encoded).toString()
}

describe("encodeMessage", () => {
  it("writes the same as JSON.stringify for any sequence of lists", () => {
    const name = fc.string({ unit: "binary", maxLength: 8 })
    const change = fc.record({ at: fc.nat(499), name, description: name })
    const here = host()
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 20 }),
        fc.string({ unit: "binary" }),
        fc.nat(500),
        (changes, id, count) => {
          const tools = [...toTools(count)]
          for (const each of changes) {
            tools.splice(each.at % (tools.length + 1), each.at % 3, toTool(each.name, each.description))
            const message = { id, result: { nextCursor: id, tools: pageOf([...tools]), ttlMs: 0 }, jsonrpc: "2.0" }

            expect(textOf(encodeMessage(here, message))).toBe(textOf([Buffer.from(JSON.stringify(message))]))
          }
        },
      ),
    )
  })

  it("encodes a list that is not ours again, since it may change", () => {
    const tools = toTools(100).map((tool) => ({ ...tool }))
    const here = host()
    const first = encodeMessage(here, { result: { tools } })

    for (const tool of tools) Object.assign(tool, { description: "Another" })

    expect(encodeMessage(here, { result: { tools } })).not.toBe(first)
    expect(encodeMessage(here, { result: { tools } })).toBe(JSON.stringify({ result: { tools } }))
  })
})

describe("createToolBytes", () => {
  const toBytes = createToolBytes(2 ** 20)
  const bytesOf = (tools: readonly ToolDefinition[]) => new Set(toBytes(tools))

  it("changes the new tool's chunk and hardly another", () => {
    const before = bytesOf(toTools(1_000))
    const after = bytesOf([...toTools(500), toTool("tool_00499_more"), ...toTools(1_000).slice(500)])

    expect([...after].filter((chunk) => !before.has(chunk)).length).toBeLessThanOrEqual(2)
    expect(before.size).toBeGreaterThan(5)
  })

  it("shares the bytes of equal tools that are different objects", () => {
    expect(bytesOf(toTools(1_000))).toEqual(bytesOf(structuredClone(toTools(1_000))))
    const [one, other] = [toBytes(toTools(200)), toBytes(toTools(200))]
    expect(one.every((chunk, index) => chunk === other[index])).toBe(true)
  })

  it("keeps no more than its limit, and encodes dropped chunks again", () => {
    const small = createToolBytes(10_000)
    const all = Array.from({ length: 20 }, (_, index) => toTools(100).map((tool) => toTool(`${tool.name}_${index}`)))

    for (const tools of [...all, ...all]) {
      expect(`[${textOf(small(tools))}]`).toBe(JSON.stringify(tools))
    }
  })
})

describe("joinEncoded", () => {
  it("joins strings to a string, and does not copy bytes", () => {
    const bytes = Buffer.from("b")

    expect(joinEncoded("a", "b")).toBe("ab")
    expect(textOf(joinEncoded("ä", [bytes], "c"))).toBe("äbc")
    expect(joinEncoded("a", [bytes])[1]).toBe(bytes)
    expect(sizeOfEncoded(joinEncoded("ä", [bytes]))).toBe(3)
  })
})
