import { type CallToolResult, Client, type Tool } from "@modelcontextprotocol/client"
import type { Transport } from "@modelcontextprotocol/server"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import type { Era } from "./connect.js"

/** A model's host: a real client that shows the model some of the tools. */
export interface Host {
  /** Returns the tools shown in the model's next turn. */
  offer(): Promise<readonly Tool[]>
  /** Calls a shown tool. */
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>
  /** Returns the number of received list notices. */
  told(): number
  /** Disconnects. */
  close(): Promise<void>
}

/** Hosts' habits with a list of tools. */
export type Habit = "keeps the first list" | "lists again when told" | "takes 40 tools, and no resources"

/** Connects a host with a habit, under a name. */
export async function connectHost(
  transport: Transport,
  habit: Habit,
  { era, name = "host" }: { readonly era: Era; readonly name?: string },
): Promise<Host> {
  const client = new Client({ name, version: "0" }, era === "modern" ? { versionNegotiation: { mode: "auto" } } : {})
  const told = new BehaviorSubject(0)
  client.setNotificationHandler("notifications/tools/list_changed", () => told.next(told.value + 1))
  await client.connect(transport)
  if (era === "modern") await client.listen({ toolsListChanged: true })
  const list = async () => (await client.listTools()).tools
  let known = await list()
  let listedAt = 0
  let called = false
  return {
    async offer() {
      if (habit === "lists again when told" && called) {
        // A model is slow; in these flows every call changes something.
        listedAt = await firstValueFrom(told.pipe(filter((times) => times > listedAt)))
        called = false
        known = await list()
      }
      return habit === "takes 40 tools, and no resources" ? known.slice(0, 40) : known
    },
    async call(name, args = {}) {
      called = true
      const result = await client.callTool({ name, arguments: args })
      // No tool here asks for more input.
      return result as CallToolResult
    },
    told: () => told.value,
    close: () => client.close(),
  }
}

/** Acts like a model that wants something: it calls that tool, or searches for one. */
export async function want(host: Host, name: string, words: string): Promise<string> {
  const offered = new Set((await host.offer()).map((tool) => tool.name))
  if (offered.has(name)) return textOf(await host.call(name))
  if (!offered.has("find_actions")) return `there is no tool for "${words}"`
  const found: { actions: { name: string; runWith: string }[] } = JSON.parse(
    textOf(await host.call("find_actions", { query: words })),
  )
  const [best] = found.actions
  if (best === undefined || !offered.has(best.runWith)) return `nothing was found for "${words}"`
  return textOf(await host.call(best.runWith, { name: best.name }))
}

/** Returns the action's result, without the changes reported after it. */
function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === "text" ? block.text : ""
}
