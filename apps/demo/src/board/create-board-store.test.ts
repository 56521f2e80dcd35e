import { describe, expect, it } from "vitest"
import type { Card } from "./board.js"
import { createBoardStore } from "./create-board-store.js"

describe("createBoardStore", () => {
  it("adds cards to the first column unless told otherwise", () => {
    const store = createBoardStore()

    expect([store.addCard("One").column, store.addCard("Two", "doing").column]).toEqual(["todo", "doing"])
  })

  it("never gives an id twice, not even one that was taken back", () => {
    const store = createBoardStore()
    const { id } = store.addCard("One")
    store.undo()

    expect(store.addCard("Two").id).not.toBe(id)
  })

  it("removes the finished cards only, and counts them", () => {
    const store = createBoardStore()
    store.changeCard("c3", { column: "done" })

    expect(store.archive()).toBe(1)
    expect(store.board().cards.map((card) => card.id)).toEqual(["c1", "c2"])
  })

  it("makes column ids of their titles, each its own", () => {
    const { addColumn } = createBoardStore()
    const ids = ["In review!", "in review", "In Review", "?"].map((title) => addColumn(title).id)

    expect(ids).toEqual(["in_review", "in_review_2", "in_review_3", "column"])
  })

  it("keeps the finished cards to the right of a new column", () => {
    const store = createBoardStore()
    store.addColumn("Review")

    expect(store.board().columns.map((column) => column.id)).toEqual(["todo", "doing", "review", "done"])
  })

  it("removes neither a column with cards nor the one for finished cards", () => {
    const store = createBoardStore()
    for (const id of ["todo", "done"]) store.removeColumn(id)

    expect(store.board().columns).toHaveLength(3)
  })

  it.each([
    { to: { column: "todo", before: "c1" }, ids: ["c2", "c1", "c3"] },
    { to: { column: "done" }, ids: ["c1", "c3", "c2"] },
    { to: { column: "doing", before: "c3" }, ids: ["c1", "c2", "c3"] },
  ])("puts a card elsewhere: $to", ({ to, ids }) => {
    const { moveCard, board } = createBoardStore()
    moveCard("c2", to)

    expect(board().cards.map(({ id }) => id)).toEqual(ids)
    expect(board().cards.find(({ id }) => id === "c2")?.column).toBe(to.column)
  })

  it("records no step for a card that stays in its place", () => {
    const { moveCard, undo } = createBoardStore()
    moveCard("c3", { column: "doing" })

    expect(undo()).toBe(false)
  })

  it("closes the open card when it is removed", () => {
    const { openCard, openCard$, clear } = createBoardStore()
    const seen: (Card | undefined)[] = []
    openCard$.subscribe((card) => seen.push(card))

    openCard("c1")
    clear()

    expect(seen.map((card) => card?.id)).toEqual([undefined, "c1", undefined])
  })
})
