import { type AgenticService, createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig } from "./catalogue.fixture.js"

const create = (id?: string, links: Parameters<typeof createAgenticService>[0]["links"] = {}): AgenticService =>
  createAgenticService({ name: "service", ...(id !== undefined && { id }), links })

describe("the way of a path", () => {
  it("is known in every process at the root and behind links that always lead to one service", () => {
    const make = () => createRig(create(undefined, { a: link({ service: create() }) })).catalogue.way(["a"])

    expect(make()?.durable).toBe(make()?.durable)
    expect(make()?.things).not.toEqual(make()?.things)
  })

  it("is known in this process alone where a link can lead elsewhere", () => {
    const way = createRig(create(undefined, { a: link({ service: new BehaviorSubject(create()) }) })).catalogue.way([
      "a",
    ])

    expect(way?.durable).toBeUndefined()
  })

  it("is known in every process by the author's id, wherever the link can lead", () => {
    const make = (id: string) =>
      createRig(create(undefined, { a: link({ service: new BehaviorSubject(create(id)) }) })).catalogue.way(["a"])

    expect(make("one")?.durable).toBe(make("one")?.durable)
    expect(make("one")?.durable).not.toBe(make("other")?.durable)
  })

  it("is another where a service in the middle is, though the one at the end is the same", () => {
    const end = create()
    const middle = new BehaviorSubject(create(undefined, { end: link({ service: end }) }))
    const { catalogue } = createRig(create(undefined, { middle: link({ service: middle }) }))
    const before = catalogue.way(["middle", "end"])

    middle.next(create(undefined, { end: link({ service: end }) }))

    expect(catalogue.way(["middle", "end"])?.things.at(-1)).toBe(before?.things.at(-1))
    expect(catalogue.way(["middle", "end"])?.things).not.toEqual(before?.things)
  })

  it("leads nowhere where a link does", () => {
    expect(createRig(create()).catalogue.way(["a"])).toBeUndefined()
  })
})

describe("a service that stands for another thing", () => {
  it("has its entries told as replaced, with the new thing in them", () => {
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
