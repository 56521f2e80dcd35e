import { BehaviorSubject, NEVER, Subject } from "rxjs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { action, createAgenticService, link, state } from "../index.js"

/** Follows a service and collects its reports. */
function follow(service: ReturnType<typeof createAgenticService>): { readonly told: string[]; stop(): void } {
  const told: string[] = []
  service.failures.subscribe(({ kind, key, cause }) => told.push(`${kind} ${key}: ${(cause as Error).message}`))
  const held = [service.states.subscribe(), service.actions.subscribe(), service.links.subscribe()]
  return {
    told,
    stop() {
      for (const subscription of held) subscription.unsubscribe()
    },
  }
}

const schema = { type: "integer" } as const
const execute = (): undefined => undefined

describe("a silent member", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("is reported after two seconds of silence of its source or condition", () => {
    const { told } = follow(
      createAgenticService({
        name: "x",
        states: { count: state({ schema, value: NEVER }), known: state({ schema, value: 1 }) },
        actions: {
          add: action({ description: "Adds", when: NEVER, execute }),
          sub: action({ description: "Subtracts", when: new BehaviorSubject(false), execute }),
        },
        links: { open: link({ service: NEVER }), none: link({ service: new BehaviorSubject(null) }) },
      }),
    )

    vi.advanceTimersByTime(1_999)
    const early = [...told]
    vi.advanceTimersByTime(1)

    expect(early).toEqual([])
    expect(told).toEqual([
      "state count: its source has not emitted for 2 s",
      "action add: its condition has not emitted for 2 s",
      "link open: its source has not emitted for 2 s",
    ])
  })

  it("is not reported after it has emitted, or when nobody follows it", () => {
    const late = new Subject<number>()
    const service = createAgenticService({ name: "x", states: { count: state({ schema, value: late }) } })
    const first = follow(service)
    vi.advanceTimersByTime(1_000)
    first.stop()
    vi.advanceTimersByTime(5_000)
    const second = follow(service)
    vi.advanceTimersByTime(1_000)
    late.next(1)
    vi.advanceTimersByTime(5_000)

    expect([first.told, second.told, vi.getTimerCount()]).toEqual([[], [], 0])
  })

  it("is reported once, however often it is followed", () => {
    const service = createAgenticService({ name: "x", states: { count: state({ schema, value: NEVER }) } })
    const { told, stop } = follow(service)
    vi.advanceTimersByTime(2_000)
    stop()
    const again = follow(service)
    vi.advanceTimersByTime(5_000)

    expect([told.length, again.told]).toEqual([1, []])
  })
})
