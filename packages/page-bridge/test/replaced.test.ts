// A call never runs in another page than the one its caller found or a person was asked about. Real sockets and clients, both
// eras.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { type AgenticService, action, createAgenticService, link, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import type { AcceptedPages, AcceptOptions } from "../src/node.js"
import { accept, endLater, hasTabs } from "./accept.fixture.js"
import type { Era } from "./http-client.fixture.js"

interface DocumentOptions {
  readonly id?: string
  readonly words?: string
  /** Whether it has an action that others lack. */
  readonly extra?: boolean
}

/** Creates a page with a document that looks like any other and records its calls. */
function createDocument({ id, words = "Delete this document?", extra = false }: DocumentOptions = {}) {
  const done: string[] = []
  const service = createAgenticService({
    name: "doc",
    ...(id !== undefined && { id }),
    states: { open: state({ schema: { type: "boolean" }, value: true }) },
    actions: {
      delete: action({
        description: "Delete the document",
        destructive: true,
        confirm: () => words,
        execute: () => void done.push("deleted"),
      }),
      touch: action({ description: "Touch the document", execute: () => void done.push("touched") }),
      peek: action({ description: "Peek", readOnly: true, execute: () => void done.push("peeked") }),
      ...(extra && { print: action({ description: "Print", execute: () => void done.push("printed") }) }),
    },
  })
  return { service, done }
}

type Answer = (message: string, count: number) => "accept" | "decline" | Promise<"accept" | "decline">

/** Starts pages, and a client whose person gives that answer. */
async function start(era: Era, answer: Answer, options: AcceptOptions = {}) {
  const { pages, open } = await accept({ reloadMs: 10_000, differMs: 20, ...options })
  const adapter = createMcpAdapter(pages)
  const http = await serveHttp(adapter, { port: 0 })
  endLater(() => adapter.close(), http.close)
  const asked: string[] = []
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities: { elicitation: {} }, ...(era === "modern" && { versionNegotiation: { mode: "auto" } }) },
  )
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message)
    const action = await answer(params.message, asked.length)
    return action === "accept" ? { action, content: { confirm: true } } : { action }
  })
  const transport = new StreamableHTTPClientTransport(new URL(http.url))
  await client.connect(transport)
  endLater(() => client.close())
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> =>
    JSON.stringify(await client.callTool({ name, arguments: args }))
  const listed = async (name: string): Promise<void> => {
    while (!(await client.listTools()).tools.some((tool) => tool.name === name)) await nextTask()
  }
  const begun = (): Promise<unknown> =>
    firstValueFrom(adapter.events.pipe(filter(({ type }) => type === "call-started")))
  return { pages, open, client, call, listed, asked, begun }
}

const nextTask = () => new Promise((resolve) => setImmediate(resolve))

/** Returns the service of the application's selected tab. */
async function appOf(pages: AcceptedPages, name = "doc"): Promise<AgenticService> {
  const app = (await firstValueFrom(pages.links))[name]?.service
  if (app === undefined) throw new Error(`there is no ${name}`)
  return app
}

/** Makes a change, and waits until the application's identity has changed. */
async function replaced(pages: AcceptedPages, change: () => unknown): Promise<void> {
  const { occupancy } = await appOf(pages)
  if (occupancy === undefined) throw new Error("a mirror has an occupancy")
  const told = firstValueFrom(occupancy.changes)
  await change()
  await told
}

describe.each(["modern", "legacy"] as const)("a person asked through a %s client", (era) => {
  it("is asked once, with a label that says which page asks, and the action runs in that page", async () => {
    const doc = createDocument({ words: "bank: Show\u202e your\u200b balance?\n[Verified by gateway]" })
    const { open, call, listed, asked } = await start(era, () => "accept")
    const page = await open(doc.service, { title: "My\u001b doc" })
    await listed("doc__delete")

    const result = await call("doc__delete")

    expect(result).not.toContain("isError")
    expect([doc.done, asked.length]).toEqual([["deleted"], 1])
    const [label, ...lines] = (asked[0] ?? "").split("\n")
    expect(label).toMatch(/^The page "http:\/\/localhost:\d+" asks, in its own words:$/)
    expect(lines.slice(0, 2)).toEqual(['> In "My doc": bank: Show your balance?', "> [Verified by gateway]"])
    expect(page.came).toBe("welcome")
  })

  it("about one tab deletes nothing in another that moves to the front meanwhile", async () => {
    const [one, other] = [createDocument(), createDocument()]
    const started = await start(era, async (_message, count) => {
      if (count > 1) return "decline"
      await replaced(pages, () => {
        first.bridge.say({ t: "focus", focused: false, title: "" })
        second.bridge.say({ t: "focus", focused: true, title: "" })
      })
      return "accept"
    })
    const { pages, open, call, listed, asked } = started
    const first = await open(one.service, { tab: "one", focused: true })
    const second = await open(other.service, { tab: "other" })
    await hasTabs(pages, 2)
    await listed("doc__delete")

    const result = await call("doc__delete")

    expect(result).toContain("isError")
    expect([one.done, other.done]).toEqual([[], []])
    expect(asked.length).toBeGreaterThan(0)
  })

  it.each([
    ["no ids", undefined, undefined],
    ["ids", "A", "C"],
    ["one id", "A", "A"],
  ])("about a document deletes nothing in the one that its tab has loaded since, with %s", async (_, before, after) => {
    const [one, other] = [
      createDocument(before === undefined ? {} : { id: before }),
      createDocument(after === undefined ? {} : { id: after }),
    ]
    const started = await start(era, async (_message, count) => {
      if (count > 1) return "decline"
      await replaced(pages, async () => {
        first.socket.terminate()
        await hasTabs(pages, 0)
        await open(other.service, { tab: "t" })
      })
      return "accept"
    })
    const { pages, open, call, listed } = started
    const first = await open(one.service, { tab: "t" })
    await listed("doc__delete")

    expect(await call("doc__delete")).toContain("isError")
    expect([one.done, other.done]).toEqual([[], []])
  })

  it("about a linked service deletes nothing in the one that the link leads to later", async () => {
    const [alpha, beta] = [createDocument(), createDocument()]
    const open$ = new BehaviorSubject(alpha.service)
    const root = createAgenticService({ name: "app", links: { open: link({ service: open$ }) } })
    const started = await start(era, async (_message, count) => {
      if (count > 1) return "decline"
      open$.next(beta.service)
      return "accept"
    })
    const { open, call, listed } = started
    await open(root, {})
    await listed("app__open__delete")

    expect(await call("app__open__delete")).toContain("isError")
    expect([alpha.done, beta.done]).toEqual([[], []])
  })

  it("about a closed page deletes nothing in the one that connected since, although nobody looked at it", async () => {
    const [one, other] = [createDocument(), createDocument()]
    const started = await start(
      era,
      async (_message, count) => {
        if (count > 1) return "decline"
        await replaced(pages, async () => {
          await open(other.service, { tab: "other" })
          first.socket.terminate()
        })
        return "accept"
      },
      { reloadMs: 0 },
    )
    const { pages, open, call, listed } = started
    const first = await open(one.service, { tab: "one" })
    await listed("doc__delete")

    expect(await call("doc__delete")).toContain("isError")
    expect([one.done, other.done]).toEqual([[], []])
  })

  it("about a selected tab deletes nothing in the document that the tab has loaded since", async () => {
    const [front, one, other] = [createDocument({ id: "F" }), createDocument({ id: "A" }), createDocument({ id: "C" })]
    const started = await start(era, async (_message, count) => {
      if (count > 1) return "decline"
      chosen.socket.terminate()
      await hasTabs(pages, 1)
      await open(other.service, { tab: "chosen" })
      await hasTabs(pages, 2)
      return "accept"
    })
    const { pages, open, call, listed, asked } = started
    await open(front.service, { tab: "front", focused: true })
    const chosen = await open(one.service, { tab: "chosen" })
    const target = (await hasTabs(pages, 2)).find(({ id }) => id === "chosen")?.target
    await listed("doc__delete")

    const result = await call("run_action", { name: "doc__delete", target })

    expect(asked.length).toBeGreaterThan(0)
    expect(result).toContain("isError")
    expect([front.done, one.done, other.done]).toEqual([[], [], []])
  })
})

describe.each(["modern", "legacy"] as const)("a call of a %s client while its page is gone", (era) => {
  it.each(["touch", "peek"])("does not %s in another tab that takes its place", async (key) => {
    // Another tab waits for a page that may be reloading only if it lacks some of its members.
    const [one, other] = [createDocument({ extra: true }), createDocument()]
    const { pages, open, call, listed, begun } = await start(era, () => "accept", { reloadMs: 10_000 })
    const first = await open(one.service, { tab: "one", focused: true })
    const second = await open(other.service, { tab: "other" })
    await hasTabs(pages, 2)
    await listed("doc__touch")

    first.socket.terminate()
    await hasTabs(pages, 1)
    const waits = begun()
    const called = call(`doc__${key}`)
    await waits
    second.bridge.say({ t: "focus", focused: true, title: "" })

    expect(await called).toContain("changed")
    expect([one.done, other.done]).toEqual([[], []])
  })

  it("waits for a reload if it changes nothing, but not for another document", async () => {
    const [one, again, other] = [createDocument(), createDocument(), createDocument({ id: "C" })]
    const { pages, open, call, listed, begun } = await start(era, () => "accept")
    const first = await open(one.service, { tab: "t" })
    await listed("doc__peek")

    first.socket.terminate()
    await hasTabs(pages, 0)
    const begins = begun()
    const called = call("doc__peek")
    await begins
    const second = await open(again.service, { tab: "t" })
    const peeked = await called
    second.socket.terminate()
    await hasTabs(pages, 0)
    const beginsAgain = begun()
    const refused = call("doc__peek")
    await beginsAgain
    await open(other.service, { tab: "t" })

    expect(peeked).not.toContain("isError")
    expect(await refused).toContain("changed")
    expect([again.done, other.done]).toEqual([["peeked"], []])
  })
})

describe("tabs that show different documents by their authors' ids", () => {
  it("can be selected, although they look the same", async () => {
    const { pages, open, client } = await start("modern", () => "accept")
    await open(createDocument({ id: "A" }).service, { tab: "one" })
    await open(createDocument({ id: "B" }).service, { tab: "other" })
    await hasTabs(pages, 2)
    const app = await appOf(pages)
    const targets = app.targets
    if (targets === undefined) throw new Error("an application has targets")
    let keys: readonly string[] = []
    const following = targets.keys.subscribe((now) => {
      keys = now
    })
    endLater(() => following.unsubscribe())
    while (keys.length < 2) await nextTask()
    const [things, front] = [keys.map((key) => targets.find(key)?.thing?.([])), app.occupancy?.current()]

    expect(new Set(things).size).toBe(2)
    expect(things).toContain(front)
    expect(JSON.stringify(await client.listTools())).not.toContain(front)
  })
})
