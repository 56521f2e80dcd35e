import { action, createAgenticService, type Principal } from "@x/agentic-service"
import { firstValueFrom, map } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { acceptPages } from "../src/node.js"
import { accept, createBoard, endLater, hasTabs, meet } from "./accept.fixture.js"
import { listenOnLoopback, type RawPageOptions } from "./raw-page.fixture.js"

describe("acceptPages", () => {
  it("links each open application, and sends calls to its page", async () => {
    const { pages, open } = await accept()
    const board = createBoard()
    await open(board.service)
    const client = await meet(pages)

    await client.whenListed("board__add")
    await client.call("board__add")

    expect(board.cards.value).toBe(1)
    expect(await client.read("board/cards")).toBe(1)
  })

  it("answers which app to open once its last page is gone", async () => {
    const { pages, open, port } = await accept()
    const page = await open(createBoard().service)
    const client = await meet(pages)
    await client.whenListed("board__add")

    page.socket.terminate()
    await client.whenGone("board__add")
    const { outcome } = await client.call("board__add")

    expect(outcome).toMatchObject({ ok: false, code: "not_available" })
    expect(JSON.stringify(outcome)).toContain(`open the app at http://localhost:${port}`)
  })

  it("settles a call at once when its page is gone, and says that its effect is unknown", async () => {
    const { pages, open } = await accept()
    let began = (): void => {}
    const running = new Promise<void>((resolve) => {
      began = resolve
    })
    const wait = action({
      description: "Wait",
      execute: () => {
        began()
        return new Promise<void>(() => {})
      },
    })
    const page = await open(createAgenticService({ name: "board", actions: { wait } }))
    const client = await meet(pages)
    await client.whenListed("board__wait")

    const call = client.call("board__wait")
    await running
    page.socket.terminate()

    expect((await call).outcome).toMatchObject({ ok: false, code: "connection_lost" })
  })

  it("lists the same during a reload, and lets a harmless call wait for it", async () => {
    const { pages, open } = await accept({ reloadMs: 10_000 })
    const first = await open(createBoard().service, { tab: "t" })
    const client = await meet(pages)
    await client.whenListed("board__count")
    const changes: string[] = []
    client.adapter.events.subscribe((event) => {
      if (event.type === "changed")
        changes.push(...[...event.diff.tools.appeared, ...event.diff.tools.vanished].map(({ name }) => name))
    })

    first.socket.terminate()
    await hasTabs(pages, 0)
    const call = client.call("board__count")
    const again = createBoard()
    again.cards.next(7)
    await open(again.service, { tab: "t" })

    expect((await call).outcome).toEqual({ ok: true, value: 7 })
    expect(changes).toEqual([])
  })

  it("rejects a call that waited for a reload and would change something", async () => {
    const { pages, open } = await accept({ reloadMs: 10_000 })
    const first = await open(createBoard().service, { tab: "t" })
    const client = await meet(pages)
    await client.whenListed("board__add")

    first.socket.terminate()
    await hasTabs(pages, 0)
    const call = client.call("board__add")
    const again = createBoard()
    await open(again.service, { tab: "t" })

    expect((await call).outcome).toMatchObject({ ok: false, code: "changed" })
    expect(again.cards.value).toBe(0)
  })

  it("does not treat a lost connection as a change: a call waits for the next", async () => {
    const { pages, open } = await accept({ reloadMs: 10_000 })
    const board = createBoard()
    const first = await open(board.service, { tab: "t", load: "1" })
    const client = await meet(pages)
    await client.whenListed("board__add")

    first.socket.terminate()
    await hasTabs(pages, 0)
    const call = client.call("board__add")
    await open(board.service, { tab: "t", load: "1" })

    expect((await call).outcome).toMatchObject({ ok: true })
    expect(board.cards.value).toBe(1)
  })

  it("answers through the tab in front, or through the last that was", async () => {
    const { pages, open } = await accept()
    const one = createBoard()
    const other = createBoard()
    const first = await open(one.service, { focused: true })
    const client = await meet(pages)
    await client.whenListed("board__add")

    const second = await open(other.service, { focused: false })
    await hasTabs(pages, 2)
    await client.call("board__add")
    first.bridge.say({ t: "focus", focused: false, title: "" })
    second.bridge.say({ t: "focus", focused: true, title: "" })
    while (other.cards.value === 0) await client.call("board__add")

    expect(one.cards.value).toBeGreaterThan(0)
  })

  it("says which tab has a name that the selected tab lacks", async () => {
    const { pages, open } = await accept()
    const second = await open(createBoard("board", ["print"]).service, { focused: true })
    const client = await meet(pages)
    await client.whenListed("board__print")

    await open(createBoard().service, { focused: true })
    second.bridge.say({ t: "focus", focused: false, title: "" })
    await client.whenGone("board__print")
    const { outcome } = await client.call("board__print")

    expect(outcome).toMatchObject({ ok: false, code: "not_available" })
    expect(JSON.stringify(outcome)).toContain("another tab of")
  })

  it("distinguishes a duplicated tab", async () => {
    const { pages, open } = await accept()
    const first = await open(createBoard().service, { tab: "same" })

    const second = await open(createBoard().service, { tab: "same" })
    const tabs = await hasTabs(pages, 2)

    expect(first.tab).toBe("same")
    expect(second.tab).not.toBe("same")
    expect(new Set(tabs.map(({ id }) => id))).toEqual(new Set([first.tab, second.tab]))
  })

  it("shows each principal only its own pages", async () => {
    const users: Readonly<Record<string, Principal>> = { "session=ann": { id: "ann" }, "session=bob": { id: "bob" } }
    const { pages, open } = await accept({
      authenticate: ({ request }) => users[request.headers.cookie ?? ""],
    })
    await open(createBoard("ann-board").service, { cookie: "session=ann" })
    await open(createBoard("bob-board").service, { cookie: "session=bob" })
    await hasTabs(pages, 2)
    const keysOf = (id: string) => firstValueFrom(pages.of({ id }).links.pipe(map((links) => Object.keys(links))))

    expect(await keysOf("ann")).toEqual(["ann-board"])
    expect(await keysOf("bob")).toEqual(["bob-board"])
    expect(await keysOf("eve")).toEqual([])
    expect(await firstValueFrom(pages.links)).toEqual({})
  })
})

describe("admission of pages", () => {
  it.each<[string, Partial<RawPageOptions>, string]>([
    ["a forged origin", { origin: "https://evil.example" }, "403"],
    ["an origin with the same prefix", { origin: "http://localhost.evil.example" }, "403"],
    ["an opaque origin", { origin: "null" }, "403"],
    ["a foreign host", { host: "rebind.test" }, "403"],
    ["a foreign host and origin (DNS rebinding)", { host: "rebind.test", origin: "http://rebind.test" }, "403"],
    ["no token", { token: undefined }, "refused unauthorized"],
    ["a wrong token", { token: "wrong" }, "refused unauthorized"],
    ["no token and no origin", { token: undefined, origin: undefined }, "401"],
    ["another version", { protocols: ["agentic-page.2"] }, "refused version"],
  ])("rejects %s", async (_, page, came) => {
    const { open, pages } = await accept()

    const opened = await open(createBoard().service, page)

    expect(opened.came).toBe(came)
    expect(await firstValueFrom(pages.links)).toEqual({})
  })

  it.each([{ id: 7 }, { sub: "ann" }, "ann", true, { id: "ann", scopes: "read" }])(
    "admits no page for which `authenticate` returns %j, and says why",
    async (principal) => {
      const told = vi.spyOn(console, "error").mockImplementation(() => {})
      onTestFinished(() => told.mockRestore())
      // Untyped code may return anything.
      const { open } = await accept({ authenticate: () => principal as never })

      expect((await open(createBoard().service)).came).toBe("500")
      expect(told.mock.calls[0]?.[0]).toMatch(/"authenticate" returned an invalid principal: .*expected/)
    },
  )

  it("admits a ticket once", async () => {
    const { pages, open } = await accept()
    const token = pages.ticket()

    const first = await open(createBoard().service, { token })
    const replayed = await open(createBoard().service, { token })

    expect([first.came, replayed.came]).toEqual(["welcome", "refused unauthorized"])
  })

  it("rejects an expired ticket", async () => {
    const { pages, open } = await accept()

    const late = await open(createBoard().service, { token: pages.ticket({ expiresInMs: -1 }) })

    expect(late.came).toBe("refused unauthorized")
  })

  it("rejects another user's cookie, and an invalid one", async () => {
    const { open } = await accept({
      authenticate: ({ request }) => (request.headers.cookie === "session=ann" ? { id: "ann" } : undefined),
    })

    const eve = await open(createBoard().service, { cookie: "session=eve" })

    expect(eve.came).toBe("refused unauthorized")
  })

  it("names an origin that can never match", async () => {
    const { server } = await listenOnLoopback()
    endLater(() => server.close())

    expect(() => acceptPages(server, { allowedOrigins: ["https://app.example/"] })).toThrow(
      'did you mean "https://app.example"?',
    )
  })

  it("does not let another origin take an application's name", async () => {
    const { open } = await accept({
      allowedOrigins: ["https://bank.example", "https://evil.example"],
      allowedHosts: ["bank.example"],
    })
    const at = { host: "bank.example" }

    const bank = await open(createBoard("bank").service, { ...at, origin: "https://bank.example" })
    const evil = await open(createBoard("bank").service, { ...at, origin: "https://evil.example" })

    expect([bank.came, evil.came]).toEqual(["welcome", "refused app_taken"])
  })
})
