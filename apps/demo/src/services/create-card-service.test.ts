import { describe, expect, it } from "vitest"
import { openBoard } from "./open-board.fixture.js"

describe("createCardService", () => {
  it("exists while a card is open", async () => {
    const { call, tools } = await openBoard()
    expect(await tools("open__")).toEqual([])

    await call("open_card", { id: "c1" })
    expect(await tools("open__")).toEqual([
      "open__close",
      "open__comment",
      "open__complete",
      "open__edit",
      "open__move",
    ])

    await call("open__close")
    expect(await tools("open__")).toEqual([])
  })

  it("goes when its card goes", async () => {
    const { call, tools } = await openBoard()
    await call("open_card", { id: "c1" })
    await call("clear")

    expect(await tools("open__")).toEqual([])
  })

  it("changes its card", async () => {
    const { call, states } = await openBoard()
    await call("open_card", { id: "c1" })
    await call("open__edit", { title: "Announce", notes: "On Monday" })
    await call("open__move", { column: "doing" })
    await call("open__comment", { text: "Well done" })

    expect(await states("open")).toEqual({
      card: { id: "c1", title: "Announce", notes: "On Monday", column: "doing", comments: ["Well done"] },
    })
  })

  it("works on the card that was opened last", async () => {
    const { call, store } = await openBoard()
    await call("open_card", { id: "c1" })
    await call("open_card", { id: "c2" })
    await call("open__comment", { text: "This one" })

    expect(store.board().cards.map((card) => card.comments.length)).toEqual([0, 1, 1])
  })

  it("completes a card once", async () => {
    const { call, tools } = await openBoard()
    await call("open_card", { id: "c1" })
    await call("open__complete")

    expect(await tools("open__complete")).toEqual([])
    expect(await call("open__complete")).toContain("the card is finished already")
  })

  it("accepts an edit only if it changes something", async () => {
    const { call, tools } = await openBoard()
    await call("open_card", { id: "c1" })

    expect(await call("open__edit")).toContain("invalid_input")
    expect(await tools("undo")).toEqual([])
  })

  it("refuses to open an unknown card", async () => {
    const { call, tools } = await openBoard()

    expect(await call("open_card", { id: "c9" })).toContain('choose from "c1", "c2", "c3"')
    expect(await tools("open__")).toEqual([])
  })
})
