import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Claims, createClaims } from "./claims.js"

interface Claim {
  readonly key: string
  readonly rank: number
}

const create = (limit = 100, notes: string[] = []): Claims<Claim> =>
  createClaims<Claim>({
    keyOf: (claim) => claim.key,
    compare: (a, b) => a.rank - b.rank,
    limit,
    onClash: (loser, winner) => notes.push(`clash ${loser.rank} ${winner.rank}`),
    onLimit: (entry) => notes.push(`limit ${entry.key}`),
  })

describe("createClaims", () => {
  it("gives a key to the best claim, in whatever order claims come and go", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 50 }), (steps) => {
        const claims = create()
        const all = Array.from({ length: 10 }, (_, rank) => ({ key: "k", rank }))
        const live = new Set<Claim>()
        for (const [add, index] of steps) {
          const claim = all[index]
          if (claim === undefined || live.has(claim) === add) continue
          if (add) live.add(claim)
          else live.delete(claim)
          claims[add ? "add" : "remove"](claim)
        }

        expect(claims.get("k")).toBe([...live].sort((a, b) => a.rank - b.rank)[0])
      }),
    )
  })

  it("reports the net change of a key, from what it stood for to what it stands for", () => {
    const claims = create()
    const first = { key: "k", rank: 2 }
    const better = { key: "k", rank: 1 }
    claims.add(first)
    claims.takeChanges()

    claims.add(better)

    expect(claims.takeChanges().get("k")).toEqual({ before: first, after: better })
  })

  it("reports nothing for an entry that went and came back", () => {
    const claims = create()
    const entry = { key: "k", rank: 1 }
    claims.add(entry)
    claims.takeChanges()

    claims.remove(entry)
    claims.add(entry)

    expect(claims.takeChanges().size).toBe(0)
  })

  it("names the loser of a clash", () => {
    const notes: string[] = []
    const claims = create(100, notes)
    claims.add({ key: "k", rank: 2 })

    claims.add({ key: "k", rank: 1 })

    expect(notes).toEqual(["clash 2 1"])
  })

  it("makes keys over the limit wait until another is removed", () => {
    const claims = create(1)
    const first = { key: "a", rank: 1 }
    const second = { key: "b", rank: 1 }
    claims.add(first)
    claims.add(second)
    const before = claims.get("b")

    claims.remove(first)

    expect([before, claims.get("b")]).toEqual([undefined, second])
  })

  it("keeps waiting keys out of the changes", () => {
    const notes: string[] = []
    const claims = create(1, notes)
    claims.add({ key: "a", rank: 1 })

    claims.add({ key: "b", rank: 1 })

    expect([[...claims.takeChanges().keys()], notes]).toEqual([["a"], ["limit b"]])
  })
})
