import { createAgenticService, link, links, source, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../create-adapter.js"

const boom = new Error("boom")

/** Creates a source of one value that throws on unsubscribing. */
function holding<Value>(value: Value) {
  return source.observe<Value>((notify) => {
    notify(value)
    return () => {
      throw boom
    }
  })
}

/** Serves a family with one item, and collects its diagnostics. */
function serveFamily() {
  const item = createAgenticService({
    name: "item",
    states: { title: state({ schema: { type: "string" }, value: holding("Item") }) },
  })
  const open = new BehaviorSubject<typeof family | null>(null)
  const family = createAgenticService({
    name: "family",
    links: { items: links({ of: holding([1]), key: String, service: () => item }) },
  })
  const adapter = createMcpAdapter(createAgenticService({ name: "root", links: { family: link({ service: open }) } }))
  const causes: unknown[] = []
  adapter.events.subscribe((event) => {
    if (event.type === "diagnostic") causes.push(event.diagnostic.cause)
  })
  open.next(family)
  return { adapter, open, causes }
}

describe("a source that throws on unsubscribing", () => {
  it("is reported when the link to its service is removed, in a family and one of its items", async () => {
    const { adapter, open, causes } = serveFamily()
    await adapter.list()

    open.next(null)
    await adapter.list()

    expect(causes).toEqual([boom, boom])
    adapter.close()
  })

  it("is reported when the adapter is closed", async () => {
    const { adapter, causes } = serveFamily()
    await adapter.list()

    adapter.close()

    expect(causes).toEqual([boom, boom])
  })
})
