import { BehaviorSubject, type Observable, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { type AgenticService, createAgenticService, links, type Source } from "./index.js"
import type { MemberFailure } from "./service.js"

type Column = { readonly id: string }

/** Creates a board with a family of columns, and returns the family's own service too. */
function boardOf(
  of: Source<readonly Column[]>,
  made: string[] = [],
): { family: AgenticService; board: AgenticService } {
  const service = ({ id }: Column): AgenticService => {
    made.push(id)
    if (id === "broken") throw new Error("no such column")
    return createAgenticService({ name: id })
  }
  const columns = links({ description: "One per column", of, key: ({ id }) => id, service })
  const board = createAgenticService({ name: "board", links: { columns } })
  const found: AgenticService[] = []
  board.links.subscribe((map) => map["columns"] && found.push(map["columns"].service))
  const [family] = found
  if (!family) throw new Error("the family is not there")
  return { family, board }
}

function keysOf(stream: Observable<object>): string[][] {
  const seen: string[][] = []
  stream.subscribe((map) => seen.push(Object.keys(map)))
  return seen
}

describe("links", () => {
  it("links one service per item through a service named after its key", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "todo" }])
    const { family } = boardOf(columns)
    const seen = keysOf(family.links)

    columns.next([{ id: "todo" }, { id: "done" }])
    columns.next([{ id: "done" }])

    expect(family.name).toBe("columns")
    expect(seen).toEqual([["todo"], ["todo", "done"], ["done"]])
  })

  it("emits nothing before its items are known, then even an empty map", () => {
    const columns = new Subject<readonly Column[]>()
    const seen = keysOf(boardOf(columns).family.links)
    const before = [...seen]

    columns.next([])

    expect(before).toEqual([])
    expect(seen).toEqual([[]])
  })

  it("creates a service once while its key stays, and again when the key returns", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "todo" }])
    const made: string[] = []
    const { family } = boardOf(columns, made)
    keysOf(family.links)

    columns.next([{ id: "todo" }])
    columns.next([])
    columns.next([{ id: "todo" }])

    expect(made).toEqual(["todo", "todo"])
  })

  it("does not emit equal keys again", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "a" }, { id: "b" }])
    const seen = keysOf(boardOf(columns).family.links)

    columns.next([{ id: "b" }, { id: "a" }])

    expect(seen).toHaveLength(1)
  })

  it("keeps the first of two items with one key and reports the other once", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "todo" }, { id: "todo" }])
    const { family } = boardOf(columns)
    const failures: MemberFailure[] = []
    family.failures.subscribe((failure) => failures.push(failure))
    const seen = keysOf(family.links)

    columns.next([{ id: "todo" }, { id: "todo" }])

    expect(seen).toEqual([["todo"]])
    expect(failures).toMatchObject([{ kind: "link", key: "todo", cause: { code: "invalid_definition" } }])
  })

  it("leaves out an item whose service cannot be created, after one attempt", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "broken" }, { id: "todo" }])
    const made: string[] = []
    const { family } = boardOf(columns, made)
    const failures: MemberFailure[] = []
    family.failures.subscribe((failure) => failures.push(failure))
    const seen = keysOf(family.links)

    columns.next([{ id: "broken" }, { id: "todo" }, { id: "done" }])

    expect(seen).toEqual([["todo"], ["todo", "done"]])
    expect(made).toEqual(["broken", "todo", "done"])
    expect(failures).toMatchObject([{ kind: "link", key: "broken" }])
  })

  it.each([
    ["undefined", () => undefined],
    ["a promise", async () => "todo"],
    ["null", () => null],
  ])("leaves out an item for which `key` gives %s, and reports it", (_, key) => {
    const of = new BehaviorSubject([1])
    const service = (): AgenticService => createAgenticService({ name: "any" })
    // Untyped code may do so.
    const family = links({ description: "One per row", of, key: key as () => never, service })
    const board = createAgenticService({ name: "board", links: { family } })
    const reported: MemberFailure[] = []
    const seen: string[][] = []
    board.links.subscribe((map) => {
      const service = map["family"]?.service
      service?.failures?.subscribe((failure) => reported.push(failure))
      service?.links.subscribe((linked) => seen.push(Object.keys(linked)))
    })

    expect(seen).toEqual([[]])
    expect(String(reported[0]?.cause)).toContain('"key" returned')
  })

  it("accepts a number as a key", () => {
    const service = (): AgenticService => createAgenticService({ name: "any" })
    const rows = links({ description: "d", of: new BehaviorSubject([7]), key: (row) => row as never, service })
    const board = createAgenticService({ name: "board", links: { rows } })
    const seen: string[][] = []
    board.links.subscribe((map) => map["rows"]?.service.links.subscribe((linked) => seen.push(Object.keys(linked))))

    expect(seen).toEqual([["7"]])
  })

  it("links nothing once its items fail, and reports it", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "todo" }])
    const { family } = boardOf(columns)
    const failures: MemberFailure[] = []
    family.failures.subscribe((failure) => failures.push(failure))
    const seen = keysOf(family.links)

    columns.error("broken")

    expect(seen).toEqual([["todo"], []])
    expect(failures).toEqual([{ kind: "link", cause: "broken" }])
  })

  it("closes no service when its key disappears: its creator does", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "todo" }])
    const { family } = boardOf(columns)
    const services: AgenticService[] = []
    family.links.subscribe((map) => map["todo"] && services.push(map["todo"].service))
    let completed = false
    services[0]?.states.subscribe({ complete: () => (completed = true) })

    columns.next([])

    expect(completed).toBe(false)
  })

  it("releases its items with the last subscriber", () => {
    const columns = new BehaviorSubject<readonly Column[]>([])
    const { family } = boardOf(columns)

    family.links.subscribe().unsubscribe()

    expect(columns.observed).toBe(false)
  })
})
