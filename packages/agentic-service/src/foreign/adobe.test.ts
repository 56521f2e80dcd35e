import { describe, expect, it } from "vitest"
import { toAgenticService } from "../index.js"
import { createAdventure } from "./adobe.fixture.js"

function keysOf(stream: { subscribe(next: (map: object) => void): unknown }): string[][] {
  const seen: string[][] = []
  stream.subscribe((map) => seen.push(Object.keys(map)))
  return seen
}

describe("a genuine @adobe/data service", () => {
  it("shows its states, and does not emit unchanged primitives", () => {
    const { service, hurt } = createAdventure()
    const seen: Readonly<Record<string, { readonly value: unknown }>>[] = []
    toAgenticService(service, { name: "hero" }).states.subscribe((map) => seen.push(map))

    hurt(4)
    hurt(4)

    expect(seen.map((map) => map["hp"]?.value)).toEqual([10, 4])
    expect(seen[1]?.["name"]).toBe(seen[0]?.["name"])
  })

  it("shows actions and links while their conditions hold", () => {
    const { service, meet, hurt } = createAdventure()
    const hero = toAgenticService(service)
    const actions = keysOf(hero.actions)
    const links = keysOf(hero.links)

    meet(true)
    hurt(4)
    meet(false)

    expect(actions.map((keys) => keys.filter((key) => key === "rest" || key === "strike").sort())).toEqual([
      [],
      ["strike"],
      ["rest", "strike"],
      ["rest"],
    ])
    expect(links).toEqual([[], ["foe"], []])
  })

  it("runs an action of one parameter by its name, and of two by theirs", async () => {
    const { service, meet, foeHp } = createAdventure()
    const hero = toAgenticService(service)
    meet(true)

    const healed = await hero.execute("heal", { amount: 5 })
    const struck = await hero.execute("strike", { weapon: "bow", Force_used: 2 })

    expect(healed).toEqual({ ok: true })
    expect(struck).toEqual({ ok: true, value: { weapon: "bow", left: 3 } })
    expect(foeHp()).toBe(3)
  })

  it("rejects input that upstream would accept", async () => {
    const hero = toAgenticService(createAdventure().service)

    expect(await hero.execute("heal", { amount: "1" })).toMatchObject({ ok: false, code: "invalid_input" })
    expect(await hero.execute("strike", { weapon: "bow", Force_used: 2 })).toMatchObject({ code: "not_available" })
    expect(await hero.execute("toString", {})).toMatchObject({ ok: false, code: "not_available" })
  })

  it("answers its error messages as failures", async () => {
    const hero = toAgenticService(createAdventure().service)

    expect(await hero.execute("rename", { name: "" })).toMatchObject({ ok: false, message: "a hero needs a name" })
    expect(await hero.execute("rename", { name: "Bo" })).toEqual({ ok: true })
  })
})
