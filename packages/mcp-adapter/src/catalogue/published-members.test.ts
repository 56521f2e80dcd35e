import { type AgenticService, action, createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createMcpAdapter } from "../create-adapter.js"
import type { Clock } from "../runtime/host.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"

/** Creates an adapter of a service with many actions. */
function createMany(count: number) {
  return createSlow(createManyActions(count))
}

/** Creates an adapter with a clock that advances by a millisecond per look. */
function createSlow(service: AgenticService, change: Partial<Clock> = {}) {
  const manual = createManualClock()
  let looks = 0
  const clock = { ...manual, now: () => manual.now() + looks++, ...change }
  const adapter = createMcpAdapter(service, { clock })
  const { view } = adapter.core.open(undefined)
  return { adapter, view, clock }
}

function createManyActions(count: number) {
  const actions = Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `a${number}`,
      action({ description: `Does ${number}`, execute: () => number }),
    ]),
  )
  return createAgenticService({ name: "many", actions })
}

describe("publishing many tools", () => {
  it("publishes a part at a time, and makes readers wait for all", async () => {
    const { adapter, view } = createMany(1_000)
    let ready = false
    void view.ready().then(() => {
      ready = true
    })

    const seen: number[] = []
    while (seen.at(-1) !== 1_000) {
      await Promise.resolve()
      expect(ready).toBe(false)
      seen.push(view.snapshot().tools.length)
    }
    await view.ready()

    expect(seen[0]).toBeLessThan(1_000)
    expect(seen.slice(1).every((count, index) => count - (seen[index] ?? 0) <= 300)).toBe(true)
    adapter.close()
  })

  it("makes readers wait for many tools that appear later", async () => {
    const open$ = new BehaviorSubject<AgenticService | null>(null)
    const root = createAgenticService({ name: "root", links: { open: link({ service: open$ }) } })
    const { adapter, view, clock } = createSlow(root)
    await view.ready()

    open$.next(createManyActions(1_000))
    const ready = view.ready().then(() => view.snapshot().tools.length)
    for (let task = 0; task < 20; task += 1) clock.endTask()

    await expect(ready).resolves.toBe(1_000)
    adapter.close()
  })

  it("gives readers the published part when the rest takes too long", async () => {
    const tasksDoNotEnd = { settle: () => () => undefined }
    const { adapter, view, clock } = createSlow(createManyActions(2_000), tasksDoNotEnd)

    const ready = view.ready()
    clock.advance(500)
    await ready

    expect(view.snapshot().tools.length).toBeLessThan(2_000)
    adapter.close()
  })

  it("notifies clients that have read a part", async () => {
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

  it("publishes the newest members of a service that changes meanwhile", () => {
    const { adapter, view, clock } = createMany(500)

    expect(view.resolve("a499").status).not.toBe("unknown")
    for (let task = 0; task < 20; task += 1) clock.endTask()

    expect(view.resolve("a499").status).toBe("available")
    adapter.close()
  })
})
