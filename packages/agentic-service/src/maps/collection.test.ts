import { BehaviorSubject, type Observable, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { type AgenticService, createAgenticService, links, type Source } from "../index.js"
import type { MemberFailure } from "../service.js"

type Column = { readonly id: string }

/** A board with a family of columns, and the family's own service. */
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

  it("says nothing before its items are known, and then also that there are none", () => {
    const columns = new Subject<readonly Column[]>()
    const seen = keysOf(boardOf(columns).family.links)
    const before = [...seen]

    columns.next([])

    expect(before).toEqual([])
    expect(seen).toEqual([[]])
  })

  it("makes a service once for as long as its key stays, and again when it comes back", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "todo" }])
    const made: string[] = []
    const { family } = boardOf(columns, made)
    keysOf(family.links)

    columns.next([{ id: "todo" }])
    columns.next([])
    columns.next([{ id: "todo" }])

    expect(made).toEqual(["todo", "todo"])
  })

  it("is silent when the same keys come again", () => {
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

  it("leaves out an item whose service cannot be made, tried once", () => {
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

  it("closes no service when its key goes: that is left to whoever made it", () => {
    const columns = new BehaviorSubject<readonly Column[]>([{ id: "todo" }])
    const { family } = boardOf(columns)
    const services: AgenticService[] = []
    family.links.subscribe((map) => map["todo"] && services.push(map["todo"].service))
    let completed = false
    services[0]?.states.subscribe({ complete: () => (completed = true) })

    columns.next([])

    expect(completed).toBe(false)
  })

  it("lets go of its items with the last subscriber", () => {
    const columns = new BehaviorSubject<readonly Column[]>([])
    const { family } = boardOf(columns)

    family.links.subscribe().unsubscribe()

    expect(columns.observed).toBe(false)
  })
})
