import { action, createAgenticService } from "@x/agentic-service"
import { createTestClient } from "@x/testing"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { accept, createBoard, hasTabs, meet } from "./accept.fixture.js"

describe("acceptPages with one application", () => {
  it("serves it directly, without a prefix, and lists nothing before a page has connected", async () => {
    const { pages, open } = await accept({ app: "board" })
    const client = await meet(pages)
    expect(await client.list()).not.toContain("add")
    const board = createBoard()
    await open(board.service)

    await client.whenListed("add")
    await client.call("add")

    expect(board.cards.value).toBe(1)
    expect(await client.read("cards")).toBe(1)
    expect(pages.name).toBe("board")
  })

  it("answers what to do once its last page is gone, and continues with another page", async () => {
    const { pages, open } = await accept({ app: "board" })
    const page = await open(createBoard().service)
    const client = await meet(pages)
    await client.whenListed("add")

    page.socket.terminate()
    await client.whenGone("add")
    const { outcome } = await client.call("add")
    await open(createBoard().service)
    await client.whenListed("add")

    expect(outcome).toMatchObject({ ok: false, code: "not_available" })
    expect(JSON.stringify(outcome)).toContain("is open: ask the person to open it in a browser")
  })

  it("rejects pages of other applications and of another origin", async () => {
    const { open } = await accept({ app: "board", allowedOrigins: ["https://one.example", "https://two.example"] })

    const shop = await open(createBoard("shop").service, { origin: "https://one.example" })
    const first = await open(createBoard().service, { origin: "https://one.example" })
    const second = await open(createBoard().service, { origin: "https://two.example" })

    expect([shop.came, first.came, second.came]).toEqual(["refused malformed", "welcome", "refused app_taken"])
  })

  it("is separate for each principal, and dropped once it has no page and no followers", async () => {
    const { pages, open } = await accept({ app: "board", authenticate: ({ token }) => ({ id: String(token) }) })
    const [ann, ben] = [pages.of({ id: "ann" }), pages.of({ id: "ben" })]
    const boards = { ann: createBoard(), ben: createBoard() }
    const client = await createTestClient(ann)
    const page = await open(boards.ann.service, { token: "ann" })
    await open(boards.ben.service, { token: "ben" })
    await client.whenListed("add")

    await client.call("add")
    await client.client.close()
    expect([boards.ann.cards.value, boards.ben.cards.value]).toEqual([1, 0])
    expect(pages.of({ id: "ann" })).toBe(ann)
    client.adapter.close()
    page.socket.terminate()
    await hasTabs(pages, 1)

    expect(pages.of({ id: "ann" })).not.toBe(ann)
    expect(pages.of({ id: "ben" })).toBe(ben)
  })

  it("lists members that a later page declares or only another tab has, with the reason, in a stable list", async () => {
    const { pages, open } = await accept({ app: "board" })
    const client = await meet(pages, { exposure: "stable" })
    expect(await client.list()).not.toContain("clear")

    const clear = action({
      description: "Clear",
      when: { is: new BehaviorSubject(false), otherwise: "there is no card" },
      execute: () => {},
    })
    await open(createAgenticService({ name: "board", actions: { clear } }), { focused: true })
    await expect.poll(client.list, { timeout: 10_000 }).toContain("clear")
    await open(createBoard("board", ["print"]).service)
    await hasTabs(pages, 2)
    await expect.poll(client.list, { timeout: 10_000 }).toContain("print")

    expect((await client.call("clear")).outcome).toMatchObject({
      code: "not_available",
      message: expect.stringContaining("there is no card"),
    })
    expect(JSON.stringify((await client.call("print")).outcome)).toContain("another tab")
  })
})
