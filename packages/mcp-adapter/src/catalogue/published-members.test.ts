import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../create-adapter.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"

/** A service of many actions, on a clock on which each look takes a millisecond. */
function createMany(count: number) {
  const manual = createManualClock()
  let looks = 0
  const clock = { ...manual, now: () => manual.now() + looks++ }
  const actions = Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `a${number}`,
      action({ description: `Does ${number}`, execute: () => number }),
    ]),
  )
  const adapter = createMcpAdapter(createAgenticService({ name: "many", actions }), { clock })
  const { view } = adapter.core.open(undefined)
  return { adapter, view, clock }
}

describe("publishing many tools", () => {
  it("takes a part at a time, and makes readers wait until all are there", async () => {
    const { adapter, view } = createMany(1_000)
    let ready = false
    void view.ready.then(() => {
      ready = true
    })

    const seen: number[] = []
    while (seen.at(-1) !== 1_000) {
      await Promise.resolve()
      expect(ready).toBe(false)
      seen.push(view.snapshot().tools.length)
    }
    await view.ready

    expect(seen[0]).toBeLessThan(1_000)
    expect(seen.slice(1).every((count, index) => count - (seen[index] ?? 0) <= 300)).toBe(true)
    adapter.close()
  })

  it("tells who has read a part that there is more", async () => {
    const { adapter, view, clock } = createMany(1_000)
    const told: string[] = []
    view.notices.subscribe(({ kind }) => told.push(kind))
    const first = view.snapshot().tools.length

    for (let task = 0; task < 20; task += 1) clock.endTask()
    clock.advance(1_000)

    expect(first).toBeLessThan(1_000)
    expect(view.snapshot().tools).toHaveLength(1_000)
    expect(told).toContain("tools")
    adapter.close()
  })

  it("takes the newest of a service that changes while it is being published", () => {
    const { adapter, view, clock } = createMany(500)

    expect(view.resolve("a499").status).not.toBe("unknown")
    for (let task = 0; task < 20; task += 1) clock.endTask()

    expect(view.resolve("a499").status).toBe("available")
    adapter.close()
  })
})
