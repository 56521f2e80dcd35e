import { action, createAgenticService, link, state } from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject, map } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig, published, toolNames } from "../catalogue/catalogue.fixture.js"
import { type CatchUp, type CatchUpSite, toCatchUp } from "./catch-up.js"
import { mostValues } from "./fit-sections.js"

const site: CatchUpSite = { states: "both", at: [], budget: 100_000 }
const run = (): void => undefined

/** Creates a board with a column of numbered actions and states, visible while their number is in `on`. */
function createBoard(size: number, describe = (index: number) => `A${index}`) {
  const on = new BehaviorSubject<ReadonlySet<number>>(new Set())
  const has = (index: number) => on.pipe(map((set) => set.has(index)))
  const indices = Array.from({ length: size }, (_, index) => index)
  const column = createAgenticService({
    name: "column",
    states: Object.fromEntries(indices.map((i) => [`s${i}`, state({ schema: {}, value: i, when: has(i) })])),
    actions: Object.fromEntries(
      indices.map((i) => [`a${i}`, action({ description: describe(i), when: has(i), execute: run })]),
    ),
  })
  return { on, service: createAgenticService({ name: "board", links: { column: link({ service: column }) } }) }
}

function namesIn(catchUp: CatchUp | undefined, key: string): string[] {
  return (catchUp?.json[key] ?? []).map((item) => (typeof item === "string" ? item : item.name))
}

describe("toCatchUp", () => {
  it("equals the difference between the lists before and after, as each caller sees them", () => {
    const numbers = fc.uniqueArray(fc.nat(7)).map((list) => new Set(list))
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 5 }), numbers, (steps, hidden) => {
        const { on, service } = createBoard(8)
        const { view: open } = createRig(service)
        const view = open((entry) => entry.kind === "link" || !hidden.has(Number(entry.key.slice(1))))
        const [before, revision] = [view.snapshot(), view.revision()]

        for (const step of steps) on.next(step)

        const after = view.snapshot()
        const catchUp = toCatchUp(view.readSince(revision), site)
        const [was, is] = [toolNames(before), toolNames(after)]
        expect(namesIn(catchUp, "available")).toEqual(is.filter((name) => !was.includes(name)))
        expect(namesIn(catchUp, "unavailable")).toEqual(was.filter((name) => !is.includes(name)))
        expect(namesIn(catchUp, "statesAppeared")).toHaveLength(
          after.states.filter((s) => !before.states.includes(s)).length,
        )
        expect(catchUp === undefined).toBe(JSON.stringify(published(before)) === JSON.stringify(published(after)))
        for (const number of hidden) expect(JSON.stringify(catchUp) ?? "").not.toContain(`column__a${number}`)
      }),
      { numRuns: 60 },
    )
  })

  it("stays within its budget, as text and as JSON, and counts omitted items", () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 3_000 }), fc.nat(60), (budget, size) => {
        const { on, service } = createBoard(
          size,
          (index) => `Does "${index}"\n with \u{1f600}. And then some more of it.`,
        )
        const view = createRig(service).view()
        const revision = view.revision()
        on.next(new Set(Array.from({ length: size }, (_, index) => index)))

        const catchUp = toCatchUp(view.diffSince(revision), { ...site, budget })

        const { text = "", json = {} } = catchUp ?? {}
        const told = namesIn(catchUp, "available").length + namesIn(catchUp, "statesAppeared").length
        expect(text.length).toBeLessThanOrEqual(budget)
        expect(JSON.stringify(json).length).toBeLessThanOrEqual(budget)
        expect(told === 2 * size || text.includes(`${2 * size - told} more changes are not shown`)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it("distinguishes new definitions from actions that come or go", () => {
    const title = new BehaviorSubject("one")
    const add = (description: string) => ({ add: action({ description, execute: run }) })
    const of = title.pipe(map((text) => createAgenticService({ name: "list", actions: add(text) })))
    const { view: open } = createRig(createAgenticService({ name: "board", links: { list: link({ service: of }) } }))
    const view = open()
    const revision = view.revision()

    title.next("another")

    const catchUp = toCatchUp(view.diffSince(revision), site)
    expect(namesIn(catchUp, "redefined")).toEqual(["list__add"])
    expect(Object.keys(catchUp?.json ?? {})).toEqual(["redefined", "replaced"])
  })

  it("reports both actions and states when there is no room for all", () => {
    const { on, service } = createBoard(1_000)
    const view = createRig(service).view()
    const revision = view.revision()

    on.next(new Set(Array.from({ length: 1_000 }, (_, index) => index)))

    const catchUp = toCatchUp(view.diffSince(revision), { ...site, budget: 500 })
    expect(namesIn(catchUp, "available")[0]).toBe("column__a0")
    expect(namesIn(catchUp, "statesAppeared")[0]).toBe("column/s0")
    expect(catchUp?.text).toMatch(
      /\d+ more changes are not shown: list the tools again, and read the states with get_state$/,
    )
  })

  it("compares no more states than it has room for, and counts the others", () => {
    let encoded = 0
    const value = (index: number, round: number) => ({
      toJSON() {
        encoded += 1
        return { index, round }
      },
    })
    const round = new BehaviorSubject(0)
    const states = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [
        `state${index}`,
        state({ schema: {}, value: round.pipe(map((each) => value(index, each))) }),
      ]),
    )
    const view = createRig(createAgenticService({ name: "board", states })).view()
    const revision = view.revision()
    round.next(1)
    encoded = 0

    const catchUp = toCatchUp(view.readSince(revision, { most: mostValues(500) }), { ...site, budget: 500 })

    const shown = namesIn(catchUp, "statesChanged")
    expect(shown.length).toBeGreaterThan(10)
    expect(encoded).toBeLessThan(200)
    expect(catchUp?.text).toContain(`up to ${5_000 - shown.length} more changes are not shown`)
  })

  it("says that too much has changed to list it", () => {
    expect(toCatchUp(undefined, site)?.json).toEqual({ notes: [expect.stringContaining("too much has changed")] })
  })

  it("names states as a linked service's endpoint does", () => {
    const { on, service } = createBoard(1)
    const view = createRig(service).view()
    const revision = view.revision()
    on.next(new Set([0]))

    expect(namesIn(toCatchUp(view.diffSince(revision), { ...site, at: ["column"] }), "statesAppeared")).toEqual(["s0"])
  })
})
