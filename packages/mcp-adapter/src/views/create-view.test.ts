import { action, createAgenticService, link, state } from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig, published, toolNames } from "../catalogue/catalogue.fixture.js"
import { createView } from "./create-view.js"
import type { View } from "./view.js"

const run = (): void => undefined

function createSwitchboard(size: number) {
  const on = Array.from({ length: size }, () => new BehaviorSubject(false))
  const actions = Object.fromEntries(
    on.map((when, index) => [`a${index}`, action({ description: `A${index}`, when, execute: run })]),
  )
  const rig = createRig(createAgenticService({ name: "s", actions }))
  return { on, ...rig }
}

function toolNotices(view: View): string[][] {
  const notices: string[][] = []
  view.notices.subscribe((notice) => {
    if (notice.kind === "tools")
      notices.push([...notice.diff.tools.appeared, ...notice.diff.tools.vanished].map((t) => t.name))
  })
  return notices
}

describe("createView", () => {
  it("leads readers that list again on each notice to the truth, and sends no needless notice", () => {
    const step = fc.record({ kind: fc.constantFrom("flip", "read", "end", "wait"), at: fc.nat(3) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { on, view: open, clock, catalogue } = createSwitchboard(3)
        const view = open()
        const now = (): string => JSON.stringify(published(catalogue.read()))
        const atLastNotice = { value: now() }
        const handedOut = new Set([now()])
        let follower = JSON.stringify(published(view.snapshot()))
        view.notices.subscribe(() => {
          expect([...handedOut, atLastNotice.value].some((list) => list !== now())).toBe(true)
          atLastNotice.value = now()
          handedOut.clear()
          follower = JSON.stringify(published(view.snapshot()))
        })
        for (const { kind, at } of steps) {
          if (kind === "flip") on[at % 3]?.next(!on[at % 3]?.value)
          else if (kind === "read") handedOut.add(JSON.stringify(published(view.snapshot())))
          else if (kind === "end") clock.endTask()
          else clock.advance(at * 20)
        }
        clock.advance(100)

        expect(follower).toBe(now())
        expect(atLastNotice.value).toBe(now())
        // Readers that got no notice since must hold the truth as well.
        expect([...handedOut].every((list) => list === now())).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  it("sends no notice when 200 actions change ten times in one task and end as they began", () => {
    const { on, view: open, clock } = createSwitchboard(201)
    const notices = toolNotices(open())

    for (let round = 0; round < 10; round += 1) for (const one of on.slice(0, 200)) one.next(!one.value)
    clock.advance(100)
    on[200]?.next(true)
    clock.advance(100)

    expect(notices).toEqual([["a200"]])
  })

  it("sends no notice of an action that disappears and returns within the flicker time", () => {
    const { on, catalogue, clock, ledger } = createSwitchboard(2)
    const flickering = on[0]
    flickering?.next(true)
    clock.advance(0)
    const view = createView({
      catalogue,
      host: { clock, ledger, report: () => undefined },
      notices: { windowMs: 50, flickerMs: 200 },
    })
    const notices = toolNotices(view)

    flickering?.next(false)
    clock.advance(199)
    flickering?.next(true)
    clock.advance(1_000)
    expect(notices).toEqual([])

    flickering?.next(false)
    clock.advance(199)
    expect(notices).toEqual([])
    clock.advance(1)
    expect(notices).toEqual([["a0"]])
    expect(ledger.counts()).toMatchObject({ timer: 0 })
  })

  it("announces new actions immediately, even beside ones that may return", () => {
    const { on, catalogue, clock, ledger } = createSwitchboard(2)
    on[0]?.next(true)
    clock.advance(0)
    const notices = toolNotices(
      createView({
        catalogue,
        host: { clock, ledger, report: () => undefined },
        notices: { windowMs: 50, flickerMs: 200 },
      }),
    )

    on[0]?.next(false)
    clock.advance(100)
    on[1]?.next(true)
    clock.advance(0)

    expect(notices).toEqual([["a1", "a0"]])
  })

  it("announces an action's return when a reader got a list without it", () => {
    const { on, catalogue, clock, ledger } = createSwitchboard(1)
    on[0]?.next(true)
    clock.advance(0)
    const view = createView({
      catalogue,
      host: { clock, ledger, report: () => undefined },
      notices: { windowMs: 50, flickerMs: 200 },
    })
    const notices = toolNotices(view)

    on[0]?.next(false)
    view.snapshot()
    on[0]?.next(true)
    clock.advance(0)

    expect(notices).toHaveLength(1)
  })

  it("gives one notice for 200 additions in one task", () => {
    const { on, view: open, clock } = createSwitchboard(200)
    const notices = toolNotices(open())

    for (const one of on) one.next(true)
    clock.advance(100)

    expect(notices.map((names) => names.length)).toEqual([200])
  })

  it("sends a notice when a reader saw an intermediate list, even if the first and last agree", () => {
    const { on, view: open, clock } = createSwitchboard(1)
    const view = open()
    const notices = toolNotices(view)

    on[0]?.next(true)
    view.snapshot()
    on[0]?.next(false)
    clock.advance(100)

    expect(notices).toEqual([[]])
  })

  it("announces a lone change as soon as the task ends", () => {
    const { on, view: open, clock } = createSwitchboard(1)
    const notices = toolNotices(open())

    on[0]?.next(true)
    const during = notices.length
    clock.endTask()

    expect([during, notices.length]).toEqual([0, 1])
  })

  it("keeps the window between two notices of a kind, and always sends the last", () => {
    const { on, view: open, clock } = createSwitchboard(1)
    const times: number[] = []
    let told = false
    open().notices.subscribe(() => {
      times.push(clock.now())
      told = on[0]?.value ?? false
    })

    for (let millisecond = 0; millisecond < 120; millisecond += 1) {
      on[0]?.next(!on[0].value)
      clock.advance(1)
    }
    on[0]?.next(!told)
    clock.advance(1_000)

    expect(times.slice(1).every((time, index) => time - (times[index] ?? 0) >= 50)).toBe(true)
    expect(times.at(-1)).toBeGreaterThanOrEqual(120)
  })

  it("keeps the notice pending when a reader reads before the task ends", () => {
    const { on, view: open, clock } = createSwitchboard(1)
    const view = open()
    const notices = toolNotices(view)

    on[0]?.next(true)
    view.snapshot()
    const before = notices.length
    clock.endTask()

    expect([before, notices.length]).toEqual([0, 1])
  })

  it("lets a listener change the application during a notice", () => {
    const { on, view: open, clock, catalogue } = createSwitchboard(2)
    const view = open()
    const notices = toolNotices(view)
    view.notices.subscribe(() => on[1]?.next(true))

    on[0]?.next(true)
    clock.advance(100)

    expect([notices, toolNames(catalogue.read())]).toEqual([
      [["a0"], ["a1"]],
      ["a0", "a1"],
    ])
  })

  it("sends no notice of a change of denied entries", () => {
    const { on, view: open, clock } = createSwitchboard(2)
    const notices = toolNotices(open((entry) => entry.kind !== "tool" || entry.key !== "a0"))

    on[0]?.next(true)
    clock.advance(100)

    expect(notices).toEqual([])
  })

  it("does not resolve denied names", () => {
    const { on, view: open } = createSwitchboard(1)
    on[0]?.next(true)
    const view = open((entry) => entry.kind !== "tool")

    expect([toolNames(view.snapshot()), view.resolve("a0").status]).toEqual([[], "unknown"])
  })

  it("gives the reason why a known action cannot be called", () => {
    const service = createAgenticService({
      name: "s",
      actions: {
        undo: action({
          description: "Undo",
          when: { is: new BehaviorSubject(false), otherwise: "no history" },
          execute: run,
        }),
      },
    })

    expect(createRig(service).view().resolve("undo")).toMatchObject({ status: "unavailable", reason: "no history" })
  })

  it("returns the net change since a revision", () => {
    const { on, view: open } = createSwitchboard(2)
    const view = open()
    const { revision } = view.snapshot()
    on[0]?.next(true)
    view.snapshot()
    on[1]?.next(true)
    on[0]?.next(false)

    const diff = view.diffSince(revision)

    expect([diff?.tools.appeared.map((tool) => tool.name), diff?.tools.vanished]).toEqual([["a1"], []])
  })

  it("completes its notices and releases everything when closed", () => {
    const { on, view: open, clock, ledger, catalogue } = createSwitchboard(1)
    const before = ledger.counts()
    const view = open()
    let completed = false
    view.notices.subscribe({ complete: () => (completed = true) })
    on[0]?.next(true)
    catalogue.read()
    clock.endTask()
    on[0]?.next(false)
    clock.endTask()

    view.close()

    expect([completed, ledger.counts(), clock.waiting()]).toEqual([true, before, 0])
  })
})

describe("view.statesAt", () => {
  const secret = createAgenticService({
    name: "secret",
    states: { plan: state({ schema: {}, value: new BehaviorSubject(1) }) },
  })
  const { view: open } = createRig(
    createAgenticService({
      name: "root",
      links: { secret: link({ service: secret }), empty: link({ service: createAgenticService({ name: "empty" }) }) },
    }),
  )

  it("answers alike for a service with only denied states and for no service", () => {
    const view = open((entry) => entry.kind !== "state")

    expect([view.statesAt(["secret"]), view.statesAt(["nothing"])]).toEqual([undefined, undefined])
  })

  it("finds a service that shows no states", () => {
    expect(open(() => true).statesAt(["empty"])).toEqual([])
  })
})

describe("view.watch", () => {
  function createStates() {
    const values = [new BehaviorSubject(0), new BehaviorSubject(0)]
    const shown = new BehaviorSubject(true)
    const [first = new BehaviorSubject(0), second = new BehaviorSubject(0)] = values
    const service = createAgenticService({
      name: "s",
      states: {
        a: state({ schema: { type: "number" }, value: first, when: shown }),
        b: state({ schema: { type: "number" }, value: second }),
      },
      links: { me: link({ service: createAgenticService({ name: "other" }) }) },
    })
    const rig = createRig(service)
    const view = rig.view()
    const uris: string[] = []
    view.notices.subscribe((notice) => {
      if (notice.kind === "updated") uris.push(notice.uri)
    })
    return { ...rig, first, second, shown, view, uris }
  }
  const A = "agentic://test/a"
  const B = "agentic://test/b"

  it("announces watched states only", () => {
    const { first, second, view, uris, clock } = createStates()
    view.watch([A])

    first.next(1)
    second.next(1)
    clock.endTask()

    expect(uris).toEqual([A])
  })

  it("announces every state when the wanted ones are unknown", () => {
    const { first, second, view, uris, clock } = createStates()
    view.watch("all")

    first.next(1)
    second.next(1)
    clock.endTask()

    expect(uris).toEqual([A, B])
  })

  it("announces a URI once per window, and always its last value", () => {
    const { first, view, uris, clock } = createStates()
    view.watch([A])

    for (let value = 1; value <= 100; value += 1) {
      first.next(value)
      clock.advance(1)
    }
    clock.advance(100)

    expect(uris.length).toBe(3)
  })

  it("stops with the last watcher", () => {
    const { first, view, uris, clock } = createStates()
    const stopOne = view.watch([A])
    const stopOther = view.watch([A])
    stopOne()
    stopOne()
    first.next(1)
    clock.endTask()
    stopOther()

    first.next(2)
    clock.advance(100)

    expect(uris).toEqual([A])
  })

  it("announces a watched state that is visible again", () => {
    const { shown, view, uris, clock } = createStates()
    view.watch([A])
    shown.next(false)
    clock.endTask()

    shown.next(true)
    clock.endTask()

    expect(uris).toEqual([A])
  })
})
