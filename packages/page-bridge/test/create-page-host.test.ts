import type { AgenticService } from "@x/agentic-service"
import { type Channel, offerService } from "@x/service-wire"
import { fromMessagePort } from "@x/service-wire/message-port"
import { filter, firstValueFrom, map } from "rxjs"
import { describe, expect, it, vi } from "vitest"
import { type BridgeChannel, partChannel } from "../src/bridge-frames.js"
import { createPageHost, type PageHost, type PageHostOptions, type Visitor } from "../src/host.js"
import { createBoard, endLater, meet } from "./accept.fixture.js"

type Said = Readonly<Record<string, unknown>>

function start(options: PageHostOptions = {}) {
  const host = createPageHost({ reloadMs: 100, switchMs: 0, ...options })
  endLater(host.close)
  return host
}

/** Opens a page on a message channel. */
async function open(host: PageHost, service: AgenticService, more: Partial<Visitor> & { readonly said?: Said } = {}) {
  const { port1, port2 } = new MessageChannel()
  endLater(() => port1.close())
  const { said: first, ...visitor } = more
  host.accept(fromMessagePort(port2), { origin: "app://one", ...visitor })
  let tell = (_said: Said): void => {}
  let end = (_reason: string): void => {}
  const said = new Promise<Said>((resolve) => {
    tell = resolve
  })
  const closed = new Promise<string>((resolve) => {
    end = resolve
  })
  const bridge = partChannel(fromMessagePort(port1), { said: tell, closed: end })
  const page = { t: "page", app: service.name, tab: crypto.randomUUID(), load: "l", title: "A  title\n", focused: true }
  // The test decides what the page says, valid or not.
  bridge.say({ ...page, ...first } as Parameters<BridgeChannel["say"]>[0])
  const answer = await said
  if (answer["t"] === "welcome") offerService(service, bridge.wire)
  return { answer, closed, bridge }
}

const countOf = (host: PageHost, count: number) =>
  firstValueFrom(host.tabs.pipe(filter((tabs) => tabs.length === count)))
const appsOf = (service: AgenticService) => firstValueFrom(service.links.pipe(map((links) => Object.keys(links))))

describe("createPageHost", () => {
  it("accepts pages over any channel, and reports them", async () => {
    const host = start()
    const board = createBoard()
    await open(host, board.service)
    const client = await meet(host.service)

    await client.whenListed("board__add")
    await client.call("board__add")
    const [tab] = await countOf(host, 1)

    expect(board.cards.value).toBe(1)
    expect(tab).toMatchObject({ app: "board", origin: "app://one", title: "A title", focused: true })
  })

  it("gives a principal one service while it is in use, with its own pages only", async () => {
    const host = start()
    await open(host, createBoard().service, { principal: { id: "ann" } })
    await countOf(host, 1)

    expect(host.of({ id: "ann" })).toBe(host.of({ id: "ann" }))
    expect(await appsOf(host.of({ id: "ann" }))).toEqual(["board"])
    expect(await appsOf(host.of({ id: "" }))).toEqual([])
    expect(await appsOf(host.service)).toEqual([])
  })

  it.each<[string, Said]>([
    ["no application", { app: "" }],
    ["a name that is too long", { app: "x".repeat(101) }],
    ["a tab that is not a string", { tab: 1 }],
    ["no load", { load: undefined }],
    ["another frame first", { t: "focus" }],
  ])("rejects a page that sends %s, and closes its channel", async (_, said) => {
    const host = start()

    const { answer, closed } = await open(host, createBoard().service, { said })

    expect(answer).toMatchObject({ t: "refused", code: "malformed" })
    expect(typeof (await closed)).toBe("string")
    expect(await countOf(host, 0)).toEqual([])
  })

  it("rejects a page that does not introduce itself in time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    endLater(() => vi.useRealTimers())
    const host = start()
    const sent: string[] = []
    const closed: string[] = []
    const channel: Channel = {
      send: (frame) => sent.push(frame),
      listen: () => {},
      close: (reason = "") => closed.push(reason),
    }

    host.accept(channel, { origin: "app://one" })
    vi.advanceTimersByTime(9_999)
    expect(sent).toEqual([])
    vi.advanceTimersByTime(1)

    expect(sent.join()).toContain("did not introduce itself in time")
    expect(closed).toHaveLength(1)
  })

  it("limits pages, applications and tabs, and frees a place when one leaves", async () => {
    const host = start({ limits: { pages: 3, apps: 2, tabs: 1 } })
    const [one, two, tab, third] = [
      await open(host, createBoard("one").service),
      await open(host, createBoard("two").service),
      await open(host, createBoard("two").service),
      await open(host, createBoard("three").service),
    ]
    expect([one, two, tab, third].map(({ answer }) => answer["code"] ?? answer["t"])).toEqual([
      "welcome",
      "welcome",
      "limit",
      "limit",
    ])

    one.bridge.wire.close("left")
    await countOf(host, 1)
    const again = await open(host, createBoard("three").service)

    expect(again.answer["t"]).toBe("welcome")
  })

  it("accepts only the configured application", async () => {
    const host = start({ app: "board" })

    const other = await open(host, createBoard("other").service)
    const board = await open(host, createBoard("board").service)

    expect(other.answer).toMatchObject({ code: "malformed" })
    expect(String(other.answer["reason"])).toContain('expected one of "board"')
    expect(board.answer["t"]).toBe("welcome")
  })

  it("says goodbye to all pages when closed, completes, and accepts no more", async () => {
    const host = start()
    const page = await open(host, createBoard().service)
    let completed = false
    host.tabs.subscribe({ complete: () => (completed = true) })

    host.close()
    host.close()
    const reason = await page.closed
    const late = await open(host, createBoard().service)

    expect([typeof reason, completed]).toEqual(["string", true])
    expect(late.answer).toMatchObject({ code: "limit", reason: "the host is closed" })
  })

  it.each<[string, unknown, string]>([
    ["a misspelt option", { reloadMS: 1 }, "reloadMs"],
    ["a limit below the minimum", { limits: { tabs: 0 } }, "tabs"],
    ["an invalid time", { beatMs: "soon" }, "beatMs"],
  ])("names %s", (_, options, named) => {
    // Untyped callers may pass this.
    expect(() => createPageHost(options as PageHostOptions)).toThrow(named)
  })
})
