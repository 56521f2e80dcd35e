import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { onTestFinished } from "vitest"
import { createBoardStore } from "../board/create-board-store.js"
import { connect } from "../tour/connect.js"
import { textOf } from "../tour/text-of.js"
import { createBoardService } from "./create-board-service.js"

/** A new board, and what a real client sees of it until the test is over. */
export async function openBoard() {
  const store = createBoardStore()
  const adapter = createMcpAdapter(createBoardService(store))
  const { client, tools$, questions$, close } = await connect(connectInMemory(adapter, { results: { catchUp: false } }))
  onTestFinished(() => close().finally(adapter.close))
  const asked: string[] = []
  questions$.subscribe((question) => asked.push(question))

  return {
    store,
    client,
    tools$,
    /** What the person was asked so far; every answer is yes. */
    asked,
    /** The names of the tools listed now that have all of these words in them. */
    async tools(...words: readonly string[]): Promise<readonly string[]> {
      const { tools } = await client.listTools()
      return tools.map((tool) => tool.name).filter((name) => words.every((word) => name.includes(word)))
    },
    /** The text a tool answers, failed or not. */
    async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const { content } = await client.callTool({ name, arguments: { ...args } })
      return textOf(content)
    },
    /** The states of a service. */
    async states(path: string): Promise<unknown> {
      const { content } = await client.callTool({ name: "get_state", arguments: { path } })
      return JSON.parse(textOf(content))
    },
  }
}
