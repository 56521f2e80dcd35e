import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createTurnstile } from "./take-turns.js"

const never = new AbortController().signal

async function enter(turnstile: ReturnType<typeof createTurnstile>, key: string): Promise<() => void> {
  const turn = await turnstile.enter(key, never)
  if (typeof turn === "string") throw new Error(`expected a turn, found "${turn}"`)
  return turn
}

describe("createTurnstile", () => {
  it("never exceeds its limit, and lets everyone through in the end", async () => {
    const visitors = fc.array(fc.record({ key: fc.constantFrom("a", "b"), stay: fc.nat(5) }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(visitors, fc.integer({ min: 1, max: 3 }), async (all, running) => {
        const turnstile = createTurnstile({ running, waiting: 100 })
        const inside = { a: 0, b: 0 }
        const visits = all.map(async ({ key, stay }) => {
          // The generator produces no other keys.
          const whose = key as "a" | "b"
          const leave = await enter(turnstile, whose)
          inside[whose] += 1
          expect(inside[whose]).toBeLessThanOrEqual(running)
          for (let step = 0; step < stay; step += 1) await Promise.resolve()
          inside[whose] -= 1
          leave()
        })

        await Promise.all(visits)

        expect([inside, turnstile.waiting()]).toEqual([{ a: 0, b: 0 }, 0])
      }),
      { numRuns: 500 },
    )
  })

  it("rejects entrants when the queue is full", async () => {
    const turnstile = createTurnstile({ running: 1, waiting: 1 })
    await enter(turnstile, "a")
    void turnstile.enter("a", never)

    expect(await turnstile.enter("a", never)).toBe("full")
  })

  it("never lets one key's queue delay another key", async () => {
    const turnstile = createTurnstile({ running: 1, waiting: 0 })
    await enter(turnstile, "a")

    expect(await turnstile.enter("b", never)).toBeTypeOf("function")
  })

  it("lets a waiting entrant leave, and moves up the next one", async () => {
    const turnstile = createTurnstile({ running: 1, waiting: 2 })
    const first = await enter(turnstile, "a")
    const impatient = new AbortController()
    const left = turnstile.enter("a", impatient.signal)
    const patient = turnstile.enter("a", never)

    impatient.abort()
    first()

    expect([await left, typeof (await patient)]).toEqual(["left", "function"])
  })

  it("gives no turn to an entrant that is already aborted", async () => {
    const turnstile = createTurnstile({ running: 1, waiting: 1 })

    expect([await turnstile.enter("a", AbortSignal.abort()), typeof (await turnstile.enter("a", never))]).toEqual([
      "left",
      "function",
    ])
  })

  it("keeps a turn that has begun when its caller aborts", async () => {
    const turnstile = createTurnstile({ running: 1, waiting: 1 })
    const caller = new AbortController()
    await turnstile.enter("a", caller.signal)
    const next = turnstile.enter("a", never)

    caller.abort()
    await Promise.resolve()

    expect(turnstile.waiting()).toBe(1)
    void next
  })
})
