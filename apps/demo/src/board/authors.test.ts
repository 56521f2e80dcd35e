import { describe, expect, it, vi } from "vitest"
import { createAuthors, type Deed } from "./authors.js"
import { createBoardStore } from "./create-board-store.js"

function open(callers: readonly string[] = ["Claude Code"]) {
  const own = createBoardStore()
  const { store, deeds$ } = createAuthors(own, async () => callers)
  let deeds: readonly Deed[] = []
  deeds$.subscribe((newest) => {
    deeds = newest
  })
  return { own, store, said: () => deeds.map(({ by, what }) => `${by} ${what}`), cards: () => deeds.at(-1)?.cards }
}

describe("the authors of a board", () => {
  it("are named with what they added, moved, edited and removed", async () => {
    const { store, said, cards } = open()

    const { id } = await store.addCard("Buy milk")
    await vi.waitFor(() => expect(cards()).toEqual([id]))
    await store.moveCard(id, { column: "doing" })
    await store.changeCard(id, { notes: "two litres" })
    await store.changeCard(id, { comments: ["done?"] })
    await store.removeCard(id)

    await vi.waitFor(() => expect(said()).toHaveLength(5))
    expect(said()).toEqual([
      "Claude Code added “Buy milk”",
      "Claude Code moved “Buy milk” to Doing",
      "Claude Code edited “Buy milk”",
      "Claude Code commented on “Buy milk”",
      "Claude Code removed “Buy milk”",
    ])
  })

  it("are not guessed where several call at once", async () => {
    const { store, said } = open(["Claude Code", "Cursor"])

    await store.addCard("Buy milk")

    await vi.waitFor(() => expect(said()).toEqual(["A model added “Buy milk”"]))
  })

  it("are no people, and do nothing when nothing changes", async () => {
    const { own, store, said } = open()

    own.addCard("By hand")
    await store.removeCard("c99")

    expect(said()).toEqual([])
  })
})
