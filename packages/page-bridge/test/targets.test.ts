import { action, createAgenticService, link, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { describe, expect, it } from "vitest"
import type { AcceptOptions } from "../src/node.js"
import { accept, createBoard, endLater, hasTabs } from "./accept.fixture.js"
import { connectOverHttp, type Era, type Seen } from "./http-client.fixture.js"
import type { RawPageOptions } from "./raw-page.fixture.js"

/**
 * Starts pages and a client over HTTP, with short times for tabs to differ. The time to be equal is shorter than a page load.
 */
async function start(era: Era, options: AcceptOptions = {}, exposure?: "dynamic" | "stable" | "meta") {
  const { pages, open } = await accept({ differMs: 20, reloadMs: 20, ...options })
  const adapter = createMcpAdapter(pages)
  const http = await serveHttp(adapter, { port: 0, ...(exposure && { exposure }) })
  endLater(() => adapter.close(), http.close)
  const client = await connectOverHttp(http.url, era)
  endLater(() => client.client.close())
  const openBoard = async (tab: string, page: Partial<RawPageOptions> = {}) => {
    const board = createBoard("board", page.app === undefined ? [] : ["print"])
    const opened = await open(board.service, { tab, title: `Board ${tab}`, ...page })
    return { ...board, ...opened }
  }
  return { pages, client, open, openBoard }
}

/** Returns the targets that a tool offers; `undefined` if it has no such parameter. */
async function offered({ client }: Seen, name: string): Promise<readonly string[] | undefined> {
  const { tools } = await client.listTools()
  const { properties = {} } = tools.find((tool) => tool.name === name)?.inputSchema ?? {}
  return Object(properties)["target"]?.enum
}

const inputOf = async ({ client }: Seen, name: string): Promise<string> => {
  const { tools } = await client.listTools()
  return JSON.stringify(tools.find((tool) => tool.name === name))
}

const untilOffered = (client: Seen, count: number): Promise<void> =>
  untilAsync(client, async () => ((await offered(client, "run_action")) ?? []).length === count)

/** Waits until a condition holds, checked again on each notice. */
async function untilAsync(client: Seen, holds: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const before = client.notices()
    if (await holds()) return
    await client.noticed(before + 1)
  }
}

const keyOf = async (pages: Awaited<ReturnType<typeof start>>["pages"], id: string): Promise<string> => {
  const tabs = await hasTabs(pages, 2)
  return tabs.find((tab) => tab.id === id)?.target ?? ""
}

describe.each(["modern", "legacy"] as const)("a %s client over HTTP", (era) => {
  it("can select a tab while one application's tabs differ, and is notified when that begins and ends, and of nothing else", async () => {
    const { pages, client, openBoard } = await start(era)
    const one = await openBoard("one", { focused: true })
    const other = await openBoard("other")
    await hasTabs(pages, 2)
    await client.until((names) => names.includes("board__add"))
    const plain = await inputOf(client, "run_action")
    const plainRead = await inputOf(client, "get_state")
    const told = client.notices()

    other.cards.next(5)
    await untilOffered(client, 2)
    const key = await keyOf(pages, "other")
    expect(client.notices()).toBe(told + 1)
    expect(await offered(client, "get_state")).toEqual(await offered(client, "run_action"))
    expect(await offered(client, "board__add")).toBeUndefined()
    expect(await client.call("get_state", { target: key })).toContain('{\\"cards\\":5}')
    expect(await client.call("get_state", { path: "board" })).toContain("Board other")
    await client.call("run_action", { name: "board__add", target: key })
    expect([one.cards.value, other.cards.value]).toEqual([0, 6])
    await client.call("run_action", { name: "board__add" })
    expect([one.cards.value, other.cards.value]).toEqual([1, 6])

    one.cards.next(6)
    await untilOffered(client, 0)
    expect(await inputOf(client, "run_action")).toBe(plain)
    expect(await inputOf(client, "get_state")).toBe(plainRead)
  })
})

describe("a target", () => {
  it("that has gone answers not_available with the open ones", async () => {
    const { pages, client, openBoard } = await start("modern", { reloadMs: 60_000 })
    await openBoard("one", { focused: true })
    const other = await openBoard("other")
    other.cards.next(5)
    await client.until((names) => names.includes("board__add"))
    await untilOffered(client, 2)
    const [gone, left] = [await keyOf(pages, "other"), await keyOf(pages, "one")]

    other.socket.terminate()
    await hasTabs(pages, 1)
    const run = await client.call("run_action", { name: "board__add", target: gone })
    const read = await client.call("get_state", { target: gone })

    for (const answer of [run, read]) {
      expect(answer).toContain("not_available")
      expect(answer).toContain(left)
      expect(answer).toContain("Board one")
      expect(answer).not.toContain("Board other")
    }
  })

  it("outlives the choice: a tab equal to the others can still be called by its key", async () => {
    const { pages, client, openBoard } = await start("modern")
    await openBoard("one", { focused: true })
    const other = await openBoard("other")
    await client.until((names) => names.includes("board__add"))
    const key = await keyOf(pages, "other")

    await client.call("run_action", { name: "board__add", target: key })

    expect(other.cards.value).toBe(1)
  })

  it("runs an action that only it has, and says which ones it lacks", async () => {
    const { pages, client, openBoard } = await start("modern")
    await openBoard("one", { app: "board", focused: true })
    await openBoard("other")
    await client.until((names) => names.includes("board__print"))
    await untilOffered(client, 2)

    const here = await client.call("run_action", { name: "board__print", target: await keyOf(pages, "one") })
    const there = await client.call("run_action", { name: "board__print", target: await keyOf(pages, "other") })

    expect(here).not.toContain("isError")
    expect(there).toContain("not_available")
    expect(there).toContain("does not have this action now")
  })

  it("runs an action that the front tab lacks", async () => {
    const { pages, client, openBoard } = await start("modern")
    const one = await openBoard("one", { focused: true })
    const other = await openBoard("other", { app: "board", focused: false })
    await untilOffered(client, 2)
    const called = await client.call("run_action", { name: "board__print", target: await keyOf(pages, "other") })
    const plain = await client.call("run_action", { name: "board__print" })

    expect(called).not.toContain("isError")
    expect(plain).toContain("another tab of")
    expect([one.came, other.came]).toEqual(["welcome", "welcome"])
  })

  it("reaches its linked services, whose actions ask and answer like those of the front tab", async () => {
    const { pages, client, open } = await start("modern")
    const createApp = (theme: string) => {
      const seen: string[] = []
      const settings = createAgenticService({
        name: "settings",
        states: { theme: state({ schema: { type: "string" }, value: theme }) },
        actions: {
          reset: action({
            description: "Reset",
            input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
            execute: ({ to }) => void seen.push(to),
          }),
        },
      })
      return { seen, service: createAgenticService({ name: "app", links: { settings: link({ service: settings }) } }) }
    }
    const [one, other] = [createApp("dark"), createApp("light")]
    await open(one.service, { tab: "one", focused: true })
    await open(other.service, { tab: "other" })
    await untilOffered(client, 2)
    const key = await keyOf(pages, "other")

    expect(await client.call("get_state", { target: key, path: "app/settings" })).toContain("light")
    const wrong = await client.call("run_action", { name: "app__settings__reset", target: key, arguments: {} })
    await client.call("run_action", { name: "app__settings__reset", target: key, arguments: { to: "x" } })

    expect(wrong).toContain("invalid_input")
    expect([one.seen, other.seen]).toEqual([[], ["x"]])
  })

  it("is part of a person's consent: a confirmed action does not run in another tab", async () => {
    const { pages, open } = await accept({ differMs: 0 })
    const createApp = (done: string[]) =>
      createAgenticService({
        name: "app",
        states: { done: state({ schema: {}, value: done.length }) },
        actions: {
          clear: action({
            description: "Clear",
            destructive: true,
            confirm: () => "Sure?",
            execute: () => void done.push("cleared"),
          }),
        },
      })
    const [one, other]: [string[], string[]] = [[], ["before"]]
    await open(createApp(one), { tab: "one", focused: true })
    await open(createApp(other), { tab: "other" })
    const adapter = createMcpAdapter(pages, { questions: { incapable: "token" } })
    const http = await serveHttp(adapter, { port: 0 })
    endLater(() => adapter.close(), http.close)
    const client = await connectOverHttp(http.url, "modern")
    endLater(() => client.client.close())
    await client.until((names) => names.includes("app__clear"))
    const [here, there] = [await keyOf(pages, "one"), await keyOf(pages, "other")]

    const asked = await client.call("run_action", { name: "app__clear", target: there })
    const text = String(Object(JSON.parse(asked)).content[0].text)
    const confirm = JSON.parse(/"confirm": ("(?:\\.|[^"\\])*")/.exec(text)?.[1] ?? '""')
    const wrong = await client.call("run_action", { name: "app__clear", target: here, confirm })
    const plain = await client.call("run_action", { name: "app__clear", confirm })
    const right = await client.call("run_action", { name: "app__clear", target: there, confirm })

    expect(asked).toContain("the same arguments and target")
    expect([wrong, plain].every((answer) => answer.includes("isError"))).toBe(true)
    expect(right).not.toContain("isError")
    expect([one, other]).toEqual([[], ["before", "cleared"]])
  })

  it("is no parameter if no service can have targets", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const http = await serveHttp(adapter, { port: 0 })
    endLater(() => adapter.close(), http.close)
    const client = await connectOverHttp(http.url, "modern")
    endLater(() => client.client.close())

    expect(await client.call("get_state", { target: "x" })).toContain("invalid_input")
  })

  it("of another principal's page does not exist", async () => {
    const { pages, open } = await accept({
      differMs: 0,
      authenticate: ({ request }) => ({ id: request.headers.cookie ?? "" }),
    })
    await open(createBoard().service, { cookie: "ann", tab: "hers" })
    await open(createBoard().service, { cookie: "bob", tab: "his" })
    const key = (await hasTabs(pages, 2)).find(({ id }) => id === "hers")?.target ?? ""
    const adapter = createMcpAdapter(pages.of({ id: "bob" }))
    const http = await serveHttp(adapter, { port: 0 })
    endLater(() => adapter.close(), http.close)
    const client = await connectOverHttp(http.url, "modern")
    endLater(() => client.client.close())
    await client.until((names) => names.includes("board__add"))

    expect(await client.call("run_action", { name: "board__add", target: key })).toContain("not_available")
    expect(await client.call("get_state", { target: key })).toContain("not_available")
  })
})

describe.each(["stable", "meta"] as const)("the exposure %s", (exposure) => {
  it("offers the choice, too", async () => {
    const { client, openBoard } = await start("modern", {}, exposure)
    await openBoard("one", { focused: true })
    const other = await openBoard("other")
    expect(await offered(client, "run_action")).toBeUndefined()

    other.cards.next(5)
    await untilOffered(client, 2)

    expect(await offered(client, "get_state")).toHaveLength(2)
  })
})
