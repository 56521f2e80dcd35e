import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createAgenticService } from "./create-agentic-service.js"
import { createItemLinks } from "./item-links.js"

interface Item {
  readonly id: string
}

interface Kept {
  readonly item: Item
  readonly service: string
}

/** Keeps services by definition: looks at all items again after each change. */
function createNaive(key: (item: Item) => string, make: (item: Item) => string) {
  let known = new Map<string, Kept>()
  return (items: readonly Item[]): Record<string, string> => {
    const first = new Map<string, Item>()
    for (const item of items) if (!first.has(key(item))) first.set(key(item), item)
    const before = new Map([...known.values()].map(({ item, service }) => [item, service]))
    const now = new Set(first.values())
    const keep = (name: string, item: Item): string => {
      const own = known.get(name)
      if (own?.item === item) return own.service
      const moved = before.get(item)
      if (moved !== undefined) return moved
      return own === undefined || now.has(own.item) ? make(item) : own.service
    }
    known = new Map([...first].map(([name, item]) => [name, { item, service: keep(name, item) }]))
    return Object.fromEntries([...known].map(([name, { service }]) => [name, service]))
  }
}

function createCount(): (item: Item) => string {
  let made = 0
  return ({ id }) => {
    made += 1
    return `${id} ${made}`
  }
}

const pool: readonly Item[] = ["a", "b", "c", "d", "a", "b"].map((id) => ({ id }))
const lists = fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 8 }), { maxLength: 12 })

describe("createItemLinks", () => {
  it.each(["id", "index"])("keeps the services that the definition keeps, by %s, and reports each other one", (by) => {
    fc.assert(
      fc.property(lists, (steps) => {
        let items: readonly Item[] = []
        const key = (item: Item): string => (by === "id" ? item.id : String(items.indexOf(item)))
        const [make, makeNaive] = [createCount(), createCount()]
        const links = createItemLinks(
          { key, service: (item: Item) => createAgenticService({ name: make(item) }) },
          () => undefined,
        )
        const naive = createNaive(key, makeNaive)
        const read = () => Object.fromEntries([...links.keys()].map((name) => [name, links.find(name)?.service.name]))
        let before: Readonly<Record<string, string | undefined>> = {}
        for (const step of steps) {
          items = step
          const changed = links.set(step)
          const now = read()
          const names = new Set([...Object.keys(before), ...Object.keys(now)])

          expect(Object.entries(now)).toEqual(Object.entries(naive(step)))
          expect([...changed].sort()).toEqual([...names].filter((name) => before[name] !== now[name]).sort())
          before = now
        }
      }),
      { numRuns: 300 },
    )
  })

  it("creates no service again when a list changed in place is set again", () => {
    const items: Item[] = [{ id: "a" }]
    const make = createCount()
    const links = createItemLinks(
      { key: ({ id }: Item) => id, service: (item) => createAgenticService({ name: make(item) }) },
      () => undefined,
    )

    expect(links.set(items)).toEqual(["a"])
    items.push({ id: "b" })
    expect(links.set(items)).toEqual(["b"])
    expect(links.find("a")?.service.name).toBe("a 1")
  })
})
