import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ListKind, mergeLists } from "./lists.js"
import type { Extra, SdkHandler } from "./sdk-server.js"

const kind: ListKind = { method: "tools/list", field: "tools", key: "name" }
// Not used by these handlers.
const extra = {} as Extra

describe("mergeLists", () => {
  it("lists every item once, sorted, over any pages, and the server's item if a name exists twice", async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-e]{1,2}$/))
    const size = fc.integer({ min: 1, max: 5 })
    await fc.assert(
      fc.asyncProperty(names, names, fc.tuple(size, size, size), async (ours, theirs, [a, b, c]) => {
        const { list, isTheirs } = merge({ ours, theirs, pages: [a, b], pageSize: c })

        const listed = await walk(list)

        const union = [...new Set([...ours, ...theirs])].sort()
        expect(listed).toEqual(union.map((name) => ({ name, of: theirs.includes(name) ? "theirs" : "ours" })))
        for (const name of union) expect(await isTheirs(name, extra)).toBe(theirs.includes(name))
      }),
      { numRuns: 500 },
    )
  })

  it("ends at a repeated cursor", async () => {
    const { list } = mergeLists({
      kind,
      ours: paged(["a"], "ours", 1),
      theirs: async () => ({ tools: [{ name: "b" }], nextCursor: "again" }),
      pageSize: 10,
      report: () => {},
    })

    const { tools } = await list({ method: "tools/list" }, extra)

    expect(tools).toMatchObject([{ name: "a" }, { name: "b" }, { name: "b" }])
  })
})

interface Merging {
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
  readonly pages: readonly [ours: number, theirs: number]
  readonly pageSize: number
}

function merge({ ours, theirs, pages, pageSize }: Merging) {
  return mergeLists({
    kind,
    ours: paged(ours, "ours", pages[0]),
    theirs: paged(theirs, "theirs", pages[1]),
    pageSize,
    report: () => {},
  })
}

/** Lists names in the given order, with positions as cursors. */
function paged(names: readonly string[], of: string, size: number): SdkHandler {
  return async ({ params = {} }) => {
    const start = Number(params["cursor"] ?? 0)
    const end = start + size
    const tools = names.slice(start, end).map((name) => ({ name, of }))
    return { tools, ...(end < names.length && { nextCursor: String(end) }) }
  }
}

async function walk(list: SdkHandler): Promise<readonly unknown[]> {
  const tools: unknown[] = []
  let params: Readonly<Record<string, unknown>> = {}
  for (;;) {
    const page = await list({ method: "tools/list", params }, extra)
    if (Array.isArray(page["tools"])) tools.push(...page["tools"])
    if (page["nextCursor"] === undefined) return tools
    params = { cursor: page["nextCursor"] }
  }
}
