// A client over HTTP that records its notices.
import { EventEmitter, once } from "node:events"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/** The protocol revisions, by how clients receive notices. */
export type Era = "legacy" | "modern"

/** A client and its received notices. */
export interface Seen {
  readonly client: Client
  /** Returns how often the tools list was announced as changed. */
  notices(): number
  names(): Promise<readonly string[]>
  call(name: string, args?: Record<string, unknown>): Promise<string>
  /** Waits for a number of notices. */
  noticed(count: number): Promise<void>
  /** Waits until the names satisfy a condition, checked again on each notice. */
  until(holds: (names: readonly string[]) => boolean): Promise<void>
}

/** Returns a person's answer to a question, given its text and how many there were. */
export type Person = (message: string, count: number) => Promise<"accept" | "decline">

/** Connects a client that receives list changes, and passes its questions to a person, if any. */
export async function connectOverHttp(url: string, era: Era, person?: Person): Promise<Seen> {
  const client = new Client(
    { name: "test", version: "0" },
    {
      ...(person && { capabilities: { elicitation: {} } }),
      ...(era === "modern" && { versionNegotiation: { mode: "auto" } }),
    },
  )
  let asked = 0
  if (person !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked += 1
      const action = await person(params.message, asked)
      return action === "accept" ? { action, content: { confirm: true } } : { action }
    })
  const told = new EventEmitter()
  let notices = 0
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    notices += 1
    told.emit("notice")
  })
  let opened = (): void => {}
  const streaming = new Promise<void>((resolve) => {
    opened = resolve
  })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method === "GET" && response.ok) opened()
      return response
    },
  })
  await client.connect(transport)
  if (era === "modern") await client.listen({ toolsListChanged: true })
  else await streaming
  const names = async (): Promise<readonly string[]> => (await client.listTools()).tools.map(({ name }) => name)
  return {
    client,
    notices: () => notices,
    names,
    call: async (name, args = {}) => JSON.stringify(await client.callTool({ name, arguments: args })),
    async noticed(count) {
      while (notices < count) await once(told, "notice")
    },
    async until(holds) {
      for (;;) {
        const next = once(told, "notice")
        if (holds(await names())) return
        await next
      }
    },
  }
}
