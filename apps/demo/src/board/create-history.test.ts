import { describe, expect, it } from "vitest"
import { createHistory } from "./create-history.js"

describe("createHistory", () => {
  it("takes back one change after the other, down to the first value", () => {
    const { change, current, undo } = createHistory(0)
    change((value) => value + 1)
    change((value) => value + 1)

    expect([undo(), current(), undo(), current(), undo(), current()]).toEqual([true, 1, true, 0, false, 0])
  })

  it("can undo while there is a step to undo", () => {
    const { canUndo$, change, undo } = createHistory(0)
    const seen: boolean[] = []
    canUndo$.subscribe((canUndo) => seen.push(canUndo))

    change((value) => value + 1)
    change((value) => value + 1)
    undo()
    undo()

    expect(seen).toEqual([false, true, false])
  })

  it("redoes undone steps until another change is made", () => {
    const { change, current, undo, redo } = createHistory(0)
    change((value) => value + 1)
    change((value) => value + 1)
    undo()
    undo()

    expect([redo(), current(), redo(), current(), redo()]).toEqual([true, 1, true, 2, false])
    undo()
    change(() => 7)
    expect([redo(), current()]).toEqual([false, 7])
  })

  it("does not remember a change that changes nothing", () => {
    const { change, undo } = createHistory(0)
    change((value) => value)

    expect(undo()).toBe(false)
  })

  it("remembers a hundred changes", () => {
    const { change, undo, current } = createHistory(0)
    for (let count = 0; count < 150; count++) change((value) => value + 1)

    while (undo());

    expect(current()).toBe(50)
  })
})
