import { get } from "node:http"
import { describe, expect, it, vi } from "vitest"
import { openBoard } from "./open-board.fixture.js"

describe("the board in a page", () => {
  it("moves on the screen what a client moves, and keeps it over a reload", async () => {
    const { page, call, cards, tools, faults } = await openBoard()

    await call("open_card", { id: "c1" })
    await vi.waitFor(async () => expect(await tools()).toContain("open__move"))
    await call("open__move", { column: "done" })

    await vi.waitFor(async () => expect(await cards("done")).toEqual(["c1"]))
    await page.reload()
    await vi.waitFor(async () => expect(await cards("done")).toEqual(["c1"]))
    // The URL names the open card, so it stays open.
    await page.waitForSelector('[aria-label^="Card c1"]')
    await vi.waitFor(async () => expect(await tools()).toContain("open__move"))
    expect(faults).toEqual([])
  })

  it("tells clients what a person does", async () => {
    const { page, call, tools } = await openBoard()
    expect(await tools()).not.toContain("undo")

    await page.fill('[data-column="todo"] .new input', "Water the plants")
    await page.keyboard.press("Enter")

    await vi.waitFor(async () => expect(await tools()).toContain("undo"))
    expect(await call("get_state", { path: "", keys: ["summary"] })).toContain("Water the plants")
  })

  it("says which model did what, and takes it back from the message", async () => {
    const { page, call, cards } = await openBoard()
    await page.locator('.status[aria-label="1 model connected"]').waitFor()

    await call("add", { title: "Water the plants" })

    await page.locator(".toast", { hasText: "Tour added “Water the plants”" }).waitFor()
    await vi.waitFor(async () => expect(await page.locator("#card-c4 .by").textContent()).toBe("Tour"))
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click()
    await vi.waitFor(async () => expect(await cards("todo")).toEqual(["c1", "c2"]))
    expect(await page.locator(".toast").count()).toBe(0)
  })

  it("takes nothing back from the message once a person has changed the board", async () => {
    const { page, call } = await openBoard()
    await call("add", { title: "Water the plants" })
    await page.locator(".toast").getByRole("button", { name: "Undo" }).waitFor()

    await page.fill('[data-column="todo"] .new input', "By hand")
    await page.keyboard.press("Enter")

    await vi.waitFor(async () =>
      expect(await page.locator(".toast").getByRole("button", { name: "Undo" }).count()).toBe(0),
    )
  })

  it("leaves every field with Escape, and keeps what was there", async () => {
    const { page } = await openBoard()
    const focused = () => page.evaluate("document.activeElement.tagName")
    for (const field of ['[data-column="todo"] .new input', ".new-column input", ".search input"]) {
      await page.fill(field, "half a thought")
      await page.keyboard.press("Escape")
      expect([await page.inputValue(field), await focused()]).toEqual(["", "BODY"])
    }
    await page.locator("#card-c2").click()
    await page.getByLabel("Notes").fill("something else")

    await page.keyboard.press("Escape")
    expect(await page.getByLabel("Notes").inputValue()).toBe("Two minutes at most")
    await page.keyboard.press("Escape")

    await page.locator(".open-card").waitFor({ state: "detached" })
  })

  it("never has two elements of one card, while one of them fades out", async () => {
    const { page, call } = await openBoard()
    const named = (): Promise<number> => page.locator('[id="card-c2"]').count()

    await page.fill(".search input", "no such card")
    expect(await named()).toBe(0)
    await page.fill(".search input", "")
    expect(await named()).toBe(1)

    await page.locator("#card-c2").focus()
    await page.keyboard.press("Alt+ArrowRight")
    await page.locator('[data-column="doing"] #card-c2:focus').waitFor()
    await call("columns__todo__add", { title: "Beside it" })
    expect(await named()).toBe(1)
  })

  it("has one row of tools on a phone", async () => {
    const { page } = await openBoard({ width: 390 })
    const bar = await page.locator(".top").boundingBox()
    const wide = await page.evaluate("document.documentElement.scrollWidth")

    expect(bar?.height).toBeLessThan(60)
    expect(wide).toBe(390)
  })

  it("asks in the page before it destroys, and takes no for an answer", async () => {
    const { page, call, cards, asked } = await openBoard()

    const refused = call("clear")
    const question = page.getByRole("alertdialog", { name: "Delete 3 cards?" })
    await question.getByText(/^Tour wants to run clear/).waitFor()
    await question.getByText(/^Waits \d+ s for your answer/).waitFor()
    await page.getByRole("button", { name: "No, keep them" }).click()
    expect(await refused).toContain("declined")
    expect(await cards("todo")).toEqual(["c1", "c2"])

    const cleared = call("clear")
    await page.getByRole("button", { name: "Yes, delete" }).click()
    expect(await cleared).toContain('"deleted":3')
    await vi.waitFor(async () => expect(await cards("todo")).toEqual([]))
    expect(asked).toEqual([])
  })

  it("is one board in two tabs, with one history", async () => {
    const { page, openTab, call, cards } = await openBoard()
    const second = await openTab()
    await second.fill('[data-column="doing"] .new input', "From the second")
    await second.keyboard.press("Enter")

    await vi.waitFor(async () => expect(await cards("doing")).toEqual(["c3", "c4"]))
    await page.getByRole("button", { name: "Undo" }).click()
    await second.locator("#card-c4").waitFor({ state: "detached" })

    await second.close()
    // A call that waits for the closed tab, which may be reloading, runs in no other.
    await vi.waitFor(async () => expect(await call("redo")).toMatch(/^done/), 20_000)
    await vi.waitFor(async () => expect(await cards("doing")).toEqual(["c3", "c4"]))
  })

  it("answers through another tab when the one that did is closed", async () => {
    const { page, openTab, call } = await openBoard()
    const second = await openTab()
    await page.close()

    await vi.waitFor(async () => expect(await call("add", { title: "Still here" })).toContain('"id"'), 20_000)
    await second.locator("#card-c4").waitFor()
    await second.locator('.status[aria-label="1 model connected"]').waitFor()
  })

  it("drags a card with the mouse", async () => {
    const { page, cards } = await openBoard()
    await page.locator("#card-c3").dragTo(page.locator("#card-c1"), { targetPosition: { x: 20, y: 5 } })

    await vi.waitFor(async () => expect(await cards("todo")).toEqual(["c3", "c1", "c2"]))
  })

  it("is moved and taken back with the keys alone, and says so", async () => {
    const { page, cards } = await openBoard()
    const said = page.locator("[aria-live]")
    await page.locator("#card-c1").focus()

    await page.keyboard.press("Alt+ArrowDown")
    await vi.waitFor(async () => expect(await cards("todo")).toEqual(["c2", "c1"]))
    expect(await said.textContent()).toBe("Write the announcement: To do, 2 of 2")
    await vi.waitFor(async () => expect(await page.evaluate("document.activeElement.id")).toBe("card-c1"))
    await page.keyboard.press("Alt+ArrowRight")
    await vi.waitFor(async () => expect(await cards("doing")).toEqual(["c3", "c1"]))
    await page.keyboard.press("Control+z")
    await vi.waitFor(async () => expect(await cards("todo")).toEqual(["c2", "c1"]))
    await page.keyboard.press("Control+Shift+z")
    await vi.waitFor(async () => expect(await cards("doing")).toEqual(["c3", "c1"]))
  })

  it("finds cards by all the words that are typed", async () => {
    const { page, cards } = await openBoard()
    await page.keyboard.press("/")
    await page.keyboard.type("minutes record")

    await vi.waitFor(async () => expect(await cards("todo")).toEqual(["c2"]))
    expect(await cards("doing")).toEqual([])
  })

  it.each([
    { scheme: "light", width: 1280 },
    { scheme: "dark", width: 1280 },
    { scheme: "light", width: 390 },
    { scheme: "dark", width: 390 },
  ] as const)("has nothing that axe-core finds wrong: $scheme, $width wide", async ({ scheme, width }) => {
    const { page, call, violations } = await openBoard({ scheme, width })
    const found = { board: await violations() }
    await call("open_card", { id: "c3" })
    await page.waitForSelector(".open-card")
    const card = await violations()
    void call("clear").catch(() => undefined)
    await page.waitForSelector(".question")
    const question = await violations()
    await page.keyboard.press("Escape")
    await call("open__close")
    await page.getByRole("button", { name: "Live view" }).click()
    await page.waitForSelector("agentic-live-view .row")
    const live = await violations()

    expect({ ...found, card, question, live }).toEqual({ board: [], card: [], question: [], live: [] })
  })

  it("lets no other page in", async () => {
    const { url } = await openBoard()
    const attempt = (headers: Readonly<Record<string, string>>) =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(url)
        const upgrade = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" }
        const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }
        get({ hostname, port, path: "/mcp/pages", headers: { ...upgrade, ...key, ...headers } })
          .on("upgrade", (response) => resolve(response.statusCode))
          .on("response", (response) => resolve(response.statusCode))
      })
    const { host } = new URL(url)

    expect(await attempt({ host, origin: "https://evil.example" })).toBe(403)
    expect(await attempt({ host })).toBe(401)
    expect(await attempt({ host: "evil.example", origin: "http://evil.example" })).toBe(403)
    expect(await attempt({ host, origin: `http://${host}` })).toBe(101)
  })

  it("shows a model's export with its progress, and cancels it for the person", async () => {
    const { url, page, client, tools, violations, faults } = await openBoard()
    expect(await tools()).not.toContain("export_board")
    await page.goto(`${url}?export=600`)
    await vi.waitFor(async () => expect(await tools()).toEqual(expect.arrayContaining(["export_board", "get_task"])))

    const answer = client.callTool({ name: "export_board" })
    await page.locator(".export progress").waitFor()
    expect(await violations()).toEqual([])
    await page.locator(".export").getByRole("button", { name: "Cancel" }).click()

    expect(await answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("cancelled") }] })
    await page.locator(".export").waitFor({ state: "detached" })
    expect(faults).toEqual([])
  })
})
