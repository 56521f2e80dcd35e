import { type AgenticService, action, createAgenticService, link, toAgenticService } from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import type { Notice, View } from "../views/view.js"
import { createRig, toolNames } from "./catalogue.fixture.js"

const run = (): void => undefined
const known = (view: Pick<View, "known">): string[] => view.known().map((tool) => tool.name)

/** Creates a foreign service, which declares nothing. The test controls its actions. */
function createForeign(...names: string[]) {
  const toActions = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, { description: key, execute: async () => undefined }]))
  const actions = new BehaviorSubject(toActions(names))
  return {
    service: toAgenticService({ actions, execute: async () => undefined }),
    show: (...keys: string[]) => actions.next(toActions(keys)),
    describe: (key: string, description: string) =>
      actions.next({ [key]: { description, execute: async () => undefined } }),
  }
}

describe("createKnownList", () => {
  it("knows declared tools, callable or not", () => {
    const on = new BehaviorSubject(false)
    const service = createAgenticService({
      name: "s",
      actions: {
        add: action({ description: "Add", execute: run }),
        undo: action({ description: "Undo", when: on, execute: run }),
      },
    })
    const { view, catalogue } = createRig(service)

    expect([known(view()), toolNames(catalogue.read())]).toEqual([["add", "undo"], ["add"]])
  })

  it("leaves out tools that cannot be published or are too large", () => {
    const when = new BehaviorSubject(false)
    const service = createAgenticService({
      name: "s",
      actions: {
        add: action({ description: "Add", when, execute: run }),
        long: action({ description: "x".repeat(2_000), when, execute: run }),
        odd: action({ description: "Odd", toolName: "no good", when, execute: run }),
      },
    })

    expect(known(createRig(service, { definitionChars: 1_000 }).view())).toEqual(["add"])
  })

  it("keeps the same array while only availability changes", () => {
    const on = new BehaviorSubject(true)
    const { service, show } = createForeign("a", "b")
    const undo = action({ description: "Undo", when: on, execute: run })
    const root = createAgenticService({ name: "s", actions: { undo }, links: { other: link({ service }) } })
    const view = createRig(root).view()
    const before = view.known()

    on.next(false)
    show("b")

    expect([view.snapshot().tools.length, view.known() === before]).toEqual([1, true])
  })

  it("remembers former tools of foreign services, and forgets the oldest beyond the limit", () => {
    const { service, show } = createForeign("a", "b", "c")
    const root = createAgenticService({ name: "s", links: { other: link({ service }) } })
    const view = createRig(root, { seen: 2 }).view()

    for (const left of [["a", "c"], ["c"], []]) {
      show(...left)
      view.known()
    }

    expect(known(view)).toEqual(["other__a", "other__c"])
  })

  it("knows the tools of a formerly linked service, even never callable ones, with a reason", () => {
    const never = action({ description: "Never", when: new BehaviorSubject(false), execute: run })
    const child = createAgenticService({
      name: "c",
      actions: { never, edit: action({ description: "E", execute: run }) },
    })
    const open = new BehaviorSubject<typeof child | null>(child)
    const view = createRig(createAgenticService({ name: "s", links: { open: link({ service: open }) } })).view()
    const before = view.known()

    open.next(null)

    expect(view.known()).toBe(before)
    expect(known(view).map((name) => view.resolve(name))).toMatchObject([
      { status: "unavailable", reason: "no link leads to its service now" },
      { status: "unavailable", reason: "no link leads to its service now" },
    ])
  })

  it("resolves every known name, even beyond the number of remembered ones", () => {
    const names = Array.from({ length: 5_100 }, (_, index) => `a${index}`)
    const { service, show } = createForeign()
    const root = createAgenticService({ name: "s", links: { other: link({ service }) } })
    const view = createRig(root, { seen: 6_000, tools: 6_000 }).view()
    show(...names)
    view.known()
    show()

    const statuses = new Set(known(view).map((name) => view.resolve(name).status))

    expect([known(view).length, [...statuses]]).toEqual([5_100, ["unavailable"]])
  })

  it("keeps the former names of a moved service callable", () => {
    const child = createAgenticService({ name: "c", actions: { edit: action({ description: "Edit", execute: run }) } })
    const first = new BehaviorSubject<typeof child | null>(child)
    const root = createAgenticService({
      name: "s",
      links: { a: link({ service: first }), b: link({ service: child }) },
    })
    const view = createRig(root).view()
    view.known()

    first.next(null)

    expect(known(view)).toEqual(["a__edit", "b__edit"])
    expect(view.resolve("a__edit")).toMatchObject({ status: "available", entry: { name: "b__edit" } })
  })

  it("hides tools that are denied to the caller", () => {
    const hidden = action({ description: "Hidden", when: new BehaviorSubject(false), execute: run })
    const service = createAgenticService({
      name: "s",
      actions: { hidden, shown: action({ description: "Shown", execute: run }) },
    })
    const view = createRig(service).view((entry) => entry.kind !== "tool" || entry.key !== "hidden")

    expect([known(view), view.resolve("hidden").status]).toEqual([["shown"], "unknown"])
  })

  it("reports names that are new or mean another tool, but no changes of availability", () => {
    const { service, show, describe: redescribe } = createForeign("a")
    const { view, clock } = createRig(createAgenticService({ name: "s", links: { other: link({ service }) } }))
    const notices: Notice[] = []
    view().notices.subscribe((notice) => notices.push(notice))
    const told = (change: () => void) => {
      notices.length = 0
      change()
      clock.advance(50)
      return notices.map(({ kind }) => kind)
    }

    expect([
      told(() => show()),
      told(() => show("a")),
      told(() => show("a", "b")),
      told(() => redescribe("a", "Other")),
    ]).toEqual([["tools"], ["tools"], ["tools", "known"], ["tools", "known"]])
  })

  it("keeps no service alive: its entries cannot be called", () => {
    const service = createAgenticService({ name: "s", actions: { a: action({ description: "A", execute: run }) } })

    const [entry] = createRig(service).view().known()

    expect(entry?.current()).toBeUndefined()
  })
})

describe("view.known", () => {
  it("contains every callable tool, agrees with the list on it, and reports only its own changes", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("switch" as const), at: fc.nat(2), to: fc.nat(1) }),
      fc.record({ kind: fc.constant("show" as const), at: fc.nat(1), to: fc.nat(3) }),
      fc.record({ kind: fc.constant("describe" as const), at: fc.nat(1), to: fc.nat(2) }),
      fc.record({ kind: fc.constant("point" as const), at: fc.nat(5), to: fc.nat(5) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(3), (steps, seen) => {
        const world = createWorld()
        const { view: open, clock } = createRig(world.root, { depth: 3, seen })
        const view = open()
        const told: string[] = []
        view.notices.subscribe(({ kind }) => told.push(kind))
        clock.advance(50)
        for (const { kind, at, to } of steps) {
          const before = JSON.stringify(view.known().map((tool) => tool.definition))
          told.length = 0
          world[kind](at, to)
          clock.advance(50)

          const listed = view.snapshot().tools
          const all = new Map(view.known().map((tool) => [tool.name, tool.definition]))
          for (const { name, definition } of listed) expect(all.get(name)).toEqual(definition)
          const names = new Set(listed.map((tool) => tool.name))
          for (const name of all.keys()) {
            const resolved = view.resolve(name)
            expect([name, resolved.status]).toEqual([
              name,
              resolved.status !== "unknown" && names.has(resolved.entry.name) ? "available" : "unavailable",
            ])
          }
          expect(told.includes("known")).toBe(JSON.stringify([...all.values()]) !== before)
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** Creates three services, each with a switched action and two links, to each other or to two foreign services. */
function createWorld() {
  const pointers: BehaviorSubject<AgenticService | null>[] = []
  const switches: BehaviorSubject<boolean>[] = []
  const foreign = [createForeign("x"), createForeign("x", "y")]
  const services = [0, 1, 2].map((index) => {
    const on = new BehaviorSubject(index === 0)
    const left = new BehaviorSubject<AgenticService | null>(null)
    const right = new BehaviorSubject<AgenticService | null>(null)
    switches.push(on)
    pointers.push(left, right)
    return createAgenticService({
      name: `s${index}`,
      actions: {
        always: action({ description: `Runs s${index}`, execute: run }),
        sometimes: action({ description: "Sometimes", when: { is: on, otherwise: "off" }, execute: run }),
      },
      links: { left: link({ service: left }), right: link({ service: right }) },
    })
  })
  const [root = toAgenticService(foreign[0]?.service)] = services
  const targets = [...services, ...foreign.map(({ service }) => service)]
  const shown = [[], ["x"], ["y"], ["x", "y"]]
  return {
    root,
    switch: (at: number, to: number) => switches[at]?.next(to === 1),
    show: (at: number, to: number) => foreign[at]?.show(...(shown[to] ?? [])),
    describe: (at: number, to: number) => foreign[at]?.describe("x", `Version ${to}`),
    point: (at: number, to: number) => pointers[at]?.next(targets[to] ?? null),
  }
}
