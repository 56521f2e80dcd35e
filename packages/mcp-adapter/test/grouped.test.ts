import type { Client } from "@modelcontextprotocol/client"
import { type AgenticService, createAgenticService, links } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { afterEach, describe, expect, it } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createEndpoint } from "../src/create-endpoint.js"
import { createClient, type Era } from "./support/connect.js"
import { createDocument, type Ran, takeSeat } from "./support/things.js"

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Creates a shelf of documents, each of which can be replaced. */
function createShelf(keys: readonly string[]) {
  const ran: Ran[] = []
  const documents = new BehaviorSubject(keys.map((key) => ({ key, service: createDocument(key, ran) })))
  const shelf = createAgenticService({
    name: "shelf",
    links: { documents: links({ of: documents, key: ({ key }) => key, service: ({ service }) => service }) },
  })
  return {
    shelf,
    ran,
    exchange(key: string) {
      const kept = documents.value.filter((each) => each.key !== key)
      documents.next(kept)
      documents.next([...kept, { key, service: createDocument(`other ${key}`, ran) }])
    },
  }
}

const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

describe.each<Era>(["legacy", "modern"])("the exposure grouped over HTTP, %s", (era) => {
  it("lists each action of the items once, and runs the named item's", async () => {
    const { shelf, ran } = createShelf(["a", "b"])
    const { client, events } = await takeSeat(shelf, { era, http: { exposure: "grouped" } })

    expect(await namesOf(client)).toEqual([
      ...["get_state", "list_links", "run_action"],
      ...["documents__erase", "documents__shred", "documents__wipe"],
    ])
    await client.callTool({ name: "documents__wipe", arguments: { item: "b" } })
    expect(ran).toEqual([{ what: "wipe", on: "b" }])
    expect(events).toContainEqual(expect.objectContaining({ type: "call-settled", name: "documents__b__wipe" }))
  })

  it("asks about the named item, and runs its action once the person agrees", async () => {
    const { shelf, ran } = createShelf(["a", "b"])
    const { client, asked } = await takeSeat(shelf, { era, http: { exposure: "grouped" }, answer: () => "accept" })

    await client.callTool({ name: "documents__erase", arguments: { item: "b" } })

    expect(asked).toEqual([expect.stringContaining("documents/b")])
    expect(ran).toEqual([{ what: "erase", on: "b" }])
  })

  it("never takes the person's answer for another document under the item's key", async () => {
    const { shelf, ran, exchange } = createShelf(["a", "b"])
    let times = 0
    const { client, asked } = await takeSeat(shelf, {
      era,
      http: { exposure: "grouped" },
      answer() {
        times += 1
        if (times > 1) return "decline"
        exchange("b")
        return "accept"
      },
    })

    const result = await client.callTool({ name: "documents__erase", arguments: { item: "b" } })

    expect([result.isError, asked.length, ran]).toEqual([true, 2, []])
  })

  it("asks before a destructive action of a document that was replaced since it was listed", async () => {
    const { shelf, ran, exchange } = createShelf(["a", "b"])
    const { client, asked } = await takeSeat(shelf, { era, http: { exposure: "grouped" }, answer: () => "decline" })
    await namesOf(client)
    exchange("b")

    await client.callTool({ name: "documents__shred", arguments: { item: "a" } })
    await client.callTool({ name: "documents__shred", arguments: { item: "b" } })

    expect(asked).toHaveLength(1)
    expect(ran).toEqual([{ what: "shred", on: "a" }])
  })
})

describe("the exposure grouped", () => {
  it("shows each principal its own items", async () => {
    const shelves: Readonly<Record<string, AgenticService>> = {
      ada: createShelf(["a", "b"]).shelf,
      bob: createShelf(["c", "d"]).shelf,
    }
    const nobody = createShelf([]).shelf
    const adapter = createMcpAdapter((principal) => shelves[principal?.id ?? ""] ?? nobody)
    closing.push(adapter.close)
    const itemsOf = async (id: string): Promise<unknown> => {
      const client = createClient("modern")
      closing.push(() => client.close())
      await client.connect(connectInMemory(adapter, { exposure: "grouped", principal: { id } }))
      const { tools } = await client.listTools()
      return Object(tools.find(({ name }) => name === "documents__wipe")?.inputSchema.properties)["item"]?.enum
    }

    expect([await itemsOf("ada"), await itemsOf("bob")]).toEqual([
      ["a", "b"],
      ["c", "d"],
    ])
  })

  it("requires the scopes of the item's own action", async () => {
    const adapter = createMcpAdapter(createShelf(["a", "b"]).shelf, {
      scopes: ({ path, key }) => (key === "wipe" ? [`wipe:${path[1]}`] : []),
    })
    const connection = createEndpoint(adapter, { exposure: "grouped" }).open(undefined)
    closing.push(adapter.close, connection.release)
    const lacks = async (name: string, args: object) => connection.lacks?.(name, args, undefined)

    expect(await lacks("documents__wipe", { item: "b" })).toEqual(["wipe:b"])
    expect(await lacks("run_action", { name: "documents__wipe", arguments: { item: "a" } })).toEqual(["wipe:a"])
    expect([connection.knows("documents__wipe"), connection.knows("documents__burn")]).toEqual([true, false])
  })

  it("lists the tools of items that another program inspects, and how many a client would get", async () => {
    const adapter = createMcpAdapter(createShelf(["a", "b"]).shelf)
    const facts: object[] = []
    const client = createClient("legacy")
    closing.push(adapter.close, () => client.close())
    const exposureFor = (_: object, about: object) => {
      facts.push(about)
      return "grouped" as const
    }
    await client.connect(connectInMemory(adapter, { exposureFor }))
    await namesOf(client)
    const connection = createEndpoint(adapter, { exposure: "grouped" }).open(undefined)
    closing.push(connection.release)

    expect(facts).toEqual([{ tools: 6, grouped: 3 }])
    expect(connection.itemTools()[0]).toMatchObject({
      definition: { name: "documents__erase" },
      actions: ["documents__a__erase", "documents__b__erase"],
    })
  })
})
