import { type AgenticService, createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig } from "./catalogue.fixture.js"

const create = (id?: string, links: Parameters<typeof createAgenticService>[0]["links"] = {}): AgenticService =>
  createAgenticService({ name: "service", ...(id !== undefined && { id }), links })

describe("the instances along a path", () => {
  it("have a durable identity at the root and behind fixed links", () => {
    const make = () => createRig(create(undefined, { a: link({ service: create() }) })).catalogue.way(["a"])

    expect(make()?.durable()).toBe(make()?.durable())
    expect(make()?.things).not.toEqual(make()?.things)
  })

  it("have no durable identity behind a link that may lead elsewhere", () => {
    const way = createRig(create(undefined, { a: link({ service: new BehaviorSubject(create()) }) })).catalogue.way([
      "a",
    ])

    expect(way?.durable()).toBeUndefined()
  })

  it("have a durable identity by the author's id behind any link", () => {
    const make = (id: string) =>
      createRig(create(undefined, { a: link({ service: new BehaviorSubject(create(id)) }) })).catalogue.way(["a"])

    expect(make("one")?.durable()).toBe(make("one")?.durable())
    expect(make("one")?.durable()).not.toBe(make("other")?.durable())
  })

  it("differ when a service in the middle differs, even with the same last service", () => {
    const end = create()
    const middle = new BehaviorSubject(create(undefined, { end: link({ service: end }) }))
    const { catalogue } = createRig(create(undefined, { middle: link({ service: middle }) }))
    const before = catalogue.way(["middle", "end"])

    middle.next(create(undefined, { end: link({ service: end }) }))

    expect(catalogue.way(["middle", "end"])?.things.at(-1)).toBe(before?.things.at(-1))
    expect(catalogue.way(["middle", "end"])?.things).not.toEqual(before?.things)
  })

  it("are undefined when a link leads nowhere", () => {
    expect(createRig(create()).catalogue.way(["a"])).toBeUndefined()
  })
})

describe("a service whose instance was replaced", () => {
  it("has its entries reported as replaced, with the new identity", () => {
    const thing = new BehaviorSubject("one")
    const occupied: AgenticService = { ...create(), occupancy: { current: () => thing.value, changes: thing } }
    const root = { ...create(undefined, { tab: link({ service: occupied }) }) }
    const { catalogue, clock } = createRig(root)
    const revision = catalogue.revision()

    thing.next("other")
    clock.endTask()

    const changes = [...(catalogue.since(revision)?.links.values() ?? [])]
    expect(changes.map(({ before, after }) => [before?.thing, after?.thing])).toEqual([["one", "other"]])
  })
})
