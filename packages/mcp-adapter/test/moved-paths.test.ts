// A subscription belongs to the thing: it continues when its service becomes reachable under another path.
import type { Client } from "@modelcontextprotocol/client"
import { type AgenticService, createAgenticService, links, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, vi } from "vitest"
import type { Era } from "./support/connect.js"
import { takeSeat, textOf } from "./support/things.js"

interface Item {
  readonly key: string
  readonly service: AgenticService
}

function createItem(first: string, parts: { readonly id?: string } = {}) {
  const title = new BehaviorSubject(first)
  const service = createAgenticService({
    name: "item",
    ...parts,
    states: { title: state({ schema: { type: "string" }, value: title }) },
  })
  return { service, rename: (now: string) => title.next(now), at: (key: string): Item => ({ key, service }) }
}

const uriOf = (key: string): string => `agentic://desk/items/${key}/title`

/** Connects a client that subscribes to a state, and records the URIs of its notices. */
async function start(era: Era, { first, asked }: { readonly first: readonly Item[]; readonly asked: string }) {
  const items = new BehaviorSubject(first)
  const desk = createAgenticService({
    name: "desk",
    links: { items: links({ of: items, key: ({ key }) => key, service: ({ service }) => service }) },
  })
  const seat = await takeSeat(desk, { era, adapter: { notices: { windowMs: 0 } }, http: { tools: { waitFor: true } } })
  const { client } = seat
  const told: string[] = []
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri))
  const uri = uriOf(asked)
  if (era === "modern") await client.listen({ resourceSubscriptions: [uri] })
  else await client.subscribeResource({ uri })
  const lead = async (...next: readonly Item[]): Promise<void> => {
    items.next(next)
    await client.listTools()
  }
  return { client, told, lead, seat }
}

const isTold = (told: readonly string[], times: number) => vi.waitFor(() => expect(told).toHaveLength(times))

async function read(client: Client, uri: string): Promise<unknown> {
  const { contents } = await client.readResource({ uri })
  return contents.map((part) => ({ uri: part.uri, ...("text" in part && { text: part.text }) }))
}

describe.each<Era>(["legacy", "modern"])("a subscribed state whose path changes (%s)", (era) => {
  it.each([
    { what: "a nearer link to it appears", before: ["m"], after: ["a", "m"], asked: "m" },
    { what: "the nearest link to it goes", before: ["a", "m"], after: ["m"], asked: "a" },
    { what: "its link gets another key", before: ["a"], after: ["m"], asked: "a" },
    { what: "a link that was never the nearest gets another key", before: ["a", "m"], after: ["a", "z"], asked: "m" },
  ])("is told of under the subscribed URI, and of its values alone, after $what", async ({ before, after, asked }) => {
    const item = createItem("one")
    const { client, told, lead } = await start(era, { first: before.map(item.at), asked })
    const uri = uriOf(asked)

    await lead(...after.map(item.at))
    item.rename("two")
    await isTold(told, 1)
    const now = await read(client, uri)
    item.rename("three")
    await isTold(told, 2)

    expect([now, told]).toEqual([[{ uri, text: '"two"' }], [uri, uri]])
  })

  it("continues with an object that its author recreated with an equal id, at another path", async () => {
    const [item, again] = [createItem("one", { id: "i" }), createItem("one", { id: "i" })]
    const { client, told, lead } = await start(era, { first: [item.at("a")], asked: "a" })

    await lead(again.at("m"))
    again.rename("two")
    await isTold(told, 1)

    expect([told, await read(client, uriOf("a"))]).toEqual([[uriOf("a")], [{ uri: uriOf("a"), text: '"two"' }]])
  })

  it("follows its URI once that leads to another thing, and says so", async () => {
    const [item, other] = [createItem("one"), createItem("other")]
    const { client, told, lead } = await start(era, { first: [item.at("a")], asked: "a" })

    await lead(item.at("m"))
    await lead(item.at("m"), other.at("a"))
    await isTold(told, 1)
    const now = await read(client, uriOf("a"))
    item.rename("two")
    other.rename("another")
    await isTold(told, 2)

    expect([now, told]).toEqual([[{ uri: uriOf("a"), text: '"other"' }], [uriOf("a"), uriOf("a")]])
  })

  it("returns to the thing when the other one leaves its URI again", async () => {
    const [item, other] = [createItem("one"), createItem("other")]
    const { client, told, lead } = await start(era, { first: [item.at("a"), item.at("m")], asked: "m" })

    await lead(item.at("a"))
    await lead(item.at("a"), other.at("m"))
    await isTold(told, 1)
    await lead(item.at("a"))
    await lead(item.at("a"), item.at("m"))
    await isTold(told, 2)

    expect([await read(client, uriOf("m")), told]).toEqual([
      [{ uri: uriOf("m"), text: '"one"' }],
      [uriOf("m"), uriOf("m")],
    ])
  })

  it("does not pass to another service once its own is removed", async () => {
    const [item, other] = [createItem("one"), createItem("other")]
    const { client, told, lead } = await start(era, { first: [item.at("a")], asked: "a" })

    await lead(other.at("m"))
    other.rename("another")

    await expect(client.readResource({ uri: uriOf("a") })).rejects.toThrow("resource not found")
    expect(told).toEqual([])
  })

  it("is waited for under the former path", async () => {
    const item = createItem("one")
    const { client, lead, seat } = await start(era, { first: [item.at("a")], asked: "a" })
    const args = { path: "items/a", key: "title", equals: "two" }
    const waiting = client.callTool({ name: "wait_for", arguments: args })
    await vi.waitFor(() => expect(seat.events.some(({ type }) => type === "call-started")).toBe(true))

    await lead(item.at("m"))
    item.rename("two")

    const result = textOf(await waiting)
    expect([result.includes('\\"met\\":true'), result.includes("replaced")]).toEqual([true, false])
    expect(textOf(await client.callTool({ name: "get_state", arguments: { path: "items/a" } }))).toContain("two")
  })
})
