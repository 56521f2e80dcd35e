import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { onTestFinished } from "vitest"
import { createBoardStore } from "../board/create-board-store.js"
import { connect } from "../tour/connect.js"
import { textOf } from "../tour/text-of.js"
import { createBoardService } from "./create-board-service.js"

/** Opens a new board with a real client until the test ends. */
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
    /** The questions so far, each answered with yes. */
    asked,
    /** Returns the names of the listed tools that contain all words. */
    async tools(...words: readonly string[]): Promise<readonly string[]> {
      const { tools } = await client.listTools()
      return tools.map((tool) => tool.name).filter((name) => words.every((word) => name.includes(word)))
    },
    /** Returns a tool's text, even if it failed. */
    async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const { content } = await client.callTool({ name, arguments: { ...args } })
      return textOf(content)
    },
    /** Returns a service's states. */
    async states(path: string): Promise<unknown> {
      const { content } = await client.callTool({ name: "get_state", arguments: { path } })
      return JSON.parse(textOf(content))
    },
  }
}
