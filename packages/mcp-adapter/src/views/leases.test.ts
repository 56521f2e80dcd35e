import { describe, expect, it } from "vitest"
import { createLedger } from "../runtime/host.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"
import { createLeases } from "./leases.js"

function createRig(max = 10) {
  const clock = createManualClock()
  const ledger = createLedger()
  const closed: string[] = []
  const leases = createLeases<string>({
    max,
    idleMs: 1_000,
    host: { clock, ledger, report: () => undefined },
    close: (value) => closed.push(value),
  })
  return { clock, ledger, closed, leases }
}

describe("createLeases", () => {
  it("creates a value on first use, then shares it", () => {
    const { leases } = createRig()
    let made = 0
    const create = (): string => {
      made += 1
      return `v${made}`
    }

    expect([leases.take("a", create).value, leases.take("a", create).value]).toEqual(["v1", "v1"])
  })

  it("closes a value that nobody has used for the idle time", () => {
    const { leases, clock, closed } = createRig()
    leases.take("a", () => "a").release()

    clock.advance(1_000)

    expect(closed).toEqual(["a"])
  })

  it("keeps a value that is used again in time", () => {
    const { leases, clock, closed } = createRig()
    leases.take("a", () => "a").release()
    clock.advance(999)

    leases.take("a", () => "other")
    clock.advance(5_000)

    expect(closed).toEqual([])
  })

  it("counts a lease released twice once", () => {
    const { leases, clock, closed } = createRig()
    const first = leases.take("a", () => "a")
    leases.take("a", () => "a")

    first.release()
    first.release()
    clock.advance(5_000)

    expect(closed).toEqual([])
  })

  it("makes room by closing the least recently used value", () => {
    const { leases, closed } = createRig(2)
    leases.take("a", () => "a").release()
    leases.take("b", () => "b").release()
    leases.take("a", () => "a").release()

    leases.take("c", () => "c")

    expect(closed).toEqual(["b"])
  })

  it("rejects another when all are in use, and names the option", () => {
    const { leases } = createRig(1)
    leases.take("a", () => "a")

    expect(() => leases.take("b", () => "b")).toThrow(
      'expected fewer principals and links in use at once, or a larger "principals.max"',
    )
  })

  it("holds nothing after it is closed", () => {
    const { leases, ledger, clock, closed } = createRig()
    leases.take("a", () => "a").release()
    leases.take("b", () => "b")

    leases.close()

    expect([closed, Object.values(ledger.counts()).every((count) => count === 0), clock.waiting()]).toEqual([
      ["a", "b"],
      true,
      0,
    ])
  })

  it("drops a value without closing it, and creates another for the next lease", () => {
    const { leases, ledger, closed, clock } = createRig()
    const first = leases.take("a", () => "first")

    leases.forget("a")
    const second = leases.take("a", () => "second")
    first.release()

    expect([leases.peek("a"), second.value, closed]).toEqual(["second", "second", []])
    second.release()
    clock.advance(1_000)
    expect(closed).toEqual(["second"])
    expect(ledger.counts()).toMatchObject({ view: 0, timer: 0 })
  })
})
