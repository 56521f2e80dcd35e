import { firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { openBoard } from "./open-board.fixture.js"

describe("createBoardService", () => {
  it("offers to undo only while there is history", async () => {
    const { call, tools } = await openBoard()
    expect(await tools("undo")).toEqual([])

    await call("add", { title: "Water the plants" })
    expect(await tools("undo")).toEqual(["undo"])

    await call("undo")
    expect(await tools("undo")).toEqual([])
  })

  it("says why there is nothing to undo", async () => {
    const { call } = await openBoard()

    expect(await call("undo")).toContain("there is nothing to undo; change the board first (not_available)")
  })

  it("offers to archive only while a card is finished", async () => {
    const { call, tools } = await openBoard()
    expect(await tools("archive")).toEqual([])

    await call("columns__done__add", { title: "Finished at once" })
    expect(await tools("archive")).toEqual(["archive"])
    expect(await call("archive")).toBe('{"archived":1}')

    expect(await tools("archive")).toEqual([])
  })

  it("marks nothing but clear as destructive", async () => {
    const { client } = await openBoard()
    const { tools } = await client.listTools()
    const ours = tools.filter((tool) => tool.name !== "run_action")

    expect(ours.filter((tool) => tool.annotations?.destructiveHint).map((tool) => tool.name)).toEqual(["clear"])
  })

  it("deletes every card once the person has accepted", async () => {
    const { call, store, asked } = await openBoard()

    expect(await call("clear")).toBe('{"deleted":3}')
    expect([asked, store.board().cards]).toEqual([["Delete 3 cards?\n\nAction: clear"], []])
  })

  it("lists the existing columns when another is named", async () => {
    const { call } = await openBoard()

    expect(await call("add", { title: "Rake", column: "garden" })).toBe(
      'there is no column "garden" (not_found)\nchoose from "todo", "doing", "done"',
    )
  })

  it("shows the board as text", async () => {
    const { client } = await openBoard()
    const { contents } = await client.readResource({ uri: "agentic://board/summary" })

    expect(contents).toMatchObject([{ mimeType: "text/markdown" }])
    expect(contents).toMatchObject([{ text: expect.stringContaining("## Doing (doing)\n- c3: Fix the login page") }])
  })

  it("notifies clients of changes in the application itself", async () => {
    const { client, store, tools$ } = await openBoard()
    await client.listTools()
    const noticed = firstValueFrom(tools$)

    store.addCard("Water the plants")

    expect((await noticed).map((tool) => tool.name)).toContain("undo")
  })
})
