import { type AgenticService, action, createAgenticService, links } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { expect, it } from "vitest"
import { accept, meet, until } from "./accept.fixture.js"

it("lists the same action of a page's items once, and follows items that come and go", async () => {
  const ids = new BehaviorSubject(["todo", "done"])
  const toColumn = (id: string): AgenticService =>
    createAgenticService({
      name: "column",
      actions: { count: action({ description: "Count the cards of this column", execute: () => ({ id }) }) },
    })
  const board = createAgenticService({
    name: "board",
    links: { columns: links({ of: ids, key: (id) => id, service: toColumn }) },
  })
  const { pages, open } = await accept()
  const client = await meet(pages, { exposure: "grouped" })
  await open(board)
  const tools = async () => (await client.client.listTools()).tools.filter(({ name }) => name.includes("columns__"))
  const itemsOf = async () => Object((await tools())[0]?.inputSchema.properties)["item"]?.enum

  await until(client, async () => (await tools()).length > 0)
  expect((await tools()).map(({ name }) => name)).toEqual([expect.stringMatching(/columns__count$/)])
  expect(await itemsOf()).toEqual(["done", "todo"])

  ids.next(["todo", "done", "later"])
  await until(client, async () => (await itemsOf())?.includes("later"))
  const [tool] = await tools()
  const { content } = await client.client.callTool({ name: tool?.name ?? "", arguments: { item: "later" } })
  expect(content).toContainEqual({ type: "text", text: '{"id":"later"}' })
})
