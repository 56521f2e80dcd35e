import { describe, expect, it } from "vitest"
import { openBoard } from "./open-board.fixture.js"

describe("createColumnService", () => {
  it("comes and goes with its column", async () => {
    const { call, tools } = await openBoard()

    await call("add_column", { title: "In review" })
    expect(await tools("in_review")).toEqual([
      "columns__in_review__add",
      "columns__in_review__remove",
      "columns__in_review__rename",
    ])

    await call("columns__in_review__remove")
    expect(await tools("in_review")).toEqual([])
  })

  it("adds cards to its own column", async () => {
    const { call, store } = await openBoard()
    await call("columns__doing__add", { title: "Water the plants" })

    expect(store.board().cards.at(-1)).toMatchObject({ title: "Water the plants", column: "doing" })
  })

  it("keeps its name when the column gets another title", async () => {
    const { call, states, tools } = await openBoard()
    await call("columns__todo__rename", { title: "Next" })

    expect(await states("columns/todo")).toMatchObject({ title: "Next" })
    expect(await tools("columns__todo")).toEqual(["columns__todo__add", "columns__todo__rename"])
  })

  it("says why its column cannot be removed", async () => {
    const { call } = await openBoard()
    await call("clear")

    expect(await call("columns__done__remove")).toContain("never that of finished cards")
  })
})
