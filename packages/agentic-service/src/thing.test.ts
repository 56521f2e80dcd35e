import { Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createFedService } from "./assemble-service.js"
import { createAgenticService } from "./create-agentic-service.js"
import type { AgenticService } from "./service.js"
import { composeThing, durableThingOf, newThing, thingOf } from "./thing.js"

describe("thingOf", () => {
  it("distinguishes two services of any names", () => {
    const one = createAgenticService({ name: "board" })
    const other = createAgenticService({ name: "board" })

    expect(thingOf(one)).not.toBe(thingOf(other))
  })

  it("stays the same for the same service object", () => {
    const service = createAgenticService({ name: "board" })

    expect(thingOf(service)).toBe(thingOf(service))
  })

  it("is the author's id, if given", () => {
    const one = createAgenticService({ name: "board", id: "board-7" })
    const remade = createAgenticService({ name: "renamed", id: "board-7" })
    const other = createAgenticService({ name: "board", id: "board-8" })

    expect(thingOf(remade)).toBe(thingOf(one))
    expect(thingOf(other)).not.toBe(thingOf(one))
  })

  it("never confuses an author's id with an identity of this process", () => {
    const minted = thingOf(createAgenticService({ name: "board" }))
    const forged = createAgenticService({ name: "board", id: minted })

    expect(thingOf(forged)).not.toBe(minted)
  })

  it("is the occupancy's current identity", () => {
    let occupant = newThing()
    const service: AgenticService = {
      ...createAgenticService({ name: "tabs", id: "tabs" }),
      occupancy: { current: () => occupant, changes: new Subject() },
    }
    const before = thingOf(service)
    occupant = newThing()

    expect(thingOf(service)).toBe(occupant)
    expect(thingOf(service)).not.toBe(before)
  })
})

describe("durableThingOf", () => {
  it("is defined only for services with an id", () => {
    expect(durableThingOf(createAgenticService({ name: "board", id: "b" }))).toBe(composeThing("id", "b"))
    expect(durableThingOf(createAgenticService({ name: "board" }))).toBeUndefined()
  })

  it("is undefined for a service with an occupancy", () => {
    const service = createAgenticService({ name: "board", id: "b" })
    const occupancy = { current: () => "x", changes: new Subject() }

    expect(durableThingOf({ ...service, occupancy })).toBeUndefined()
  })
})

describe("composeThing", () => {
  it("distinguishes parts", () => {
    expect(composeThing("a", "b,c")).not.toBe(composeThing("a,b", "c"))
    expect(composeThing("a", "")).not.toBe(composeThing("a"))
  })
})

describe("createFedService", () => {
  it("forwards its occupancy", () => {
    const nothing = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }
    const declared = { states: {}, actions: {}, links: {} }
    const occupancy = { current: () => "there", changes: new Subject() }
    const parts = { states: nothing, actions: nothing, links: nothing, declared, failures: new Subject<never>() }

    expect(thingOf(createFedService({ name: "mirror", ...parts, occupancy }))).toBe("there")
  })
})
