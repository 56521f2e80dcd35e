import { Client } from "@modelcontextprotocol/client"
import { type AgenticService, action, createAgenticService, state } from "@x/agentic-service"
import { Subject } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import type { Profiles, ViewProfile } from "../src/profiles.js"
import { createHttpTransport, type Era } from "./support/connect.js"

const ways = (["http", "in-memory"] as const).flatMap((way) =>
  (["legacy", "modern"] as const).map((era) => ({ way, era })),
)

/** The names of what is said of itself in the list. */
const own = ["get_state", "run_action"]

describe.each(ways)("an adapter with profiles, over $way, to a client of the $era era", ({ way, era }) => {
  it("shows each of two clients what its profile says, in lists and in calls", async () => {
    const { connect } = await open(way)
    const [reader, writer] = [await connect("reader", era), await connect("writer", era)]

    const lists = await Promise.all([reader, writer, reader, writer].map(namesOf))
    const run = await reader.callTool({ name: "run_action", arguments: { name: "wipe" } }).catch((error) => error)

    expect(lists.map((names) => names.filter((name) => !own.includes(name)))).toEqual([
      ["look"],
      ["look", "wipe"],
      ["look"],
      ["look", "wipe"],
    ])
    await expect(reader.callTool({ name: "wipe" })).rejects.toMatchObject({ code: -32_602 })
    expect(JSON.stringify(run)).not.toContain("wiped")
    expect(await writer.callTool({ name: "wipe" })).toMatchObject({
      content: [{ text: expect.stringContaining("wiped") }],
    })
  })

  it("reads and lists the resources of the profile alone", async () => {
    const { connect } = await open(way)
    const [reader, writer] = [await connect("reader", era), await connect("writer", era)]
    const uri = "agentic://house/safe"

    expect((await reader.listResources()).resources).toEqual([])
    await expect(reader.readResource({ uri })).rejects.toThrow("resource not found")
    expect((await writer.readResource({ uri })).contents).toMatchObject([{ text: "42" }])
  })

  it("publishes as the profile says, and in its exposure", async () => {
    const { connect } = await open(way)

    expect(await namesOf(await connect("few", era))).toContain("find_actions")
    expect(await namesOf(await connect("writer", era))).not.toContain("find_actions")
  })

  it("goes on with another profile, without another session, and says so", async () => {
    const { connect, restrict } = await open(way)
    const client = await connect("writer", era)
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })
    const listening = era === "modern" ? await client.listen({ toolsListChanged: true }) : undefined
    const before = await namesOf(client)

    restrict("writer")
    if (listening === undefined) await told
    else await listening.closed
    const after = await namesOf(client)

    expect(before).toContain("wipe")
    expect(after).not.toContain("wipe")
    await expect(client.callTool({ name: "wipe" })).rejects.toMatchObject({ code: -32_602 })
  })
})

it("shows nothing to a caller whose profile cannot be chosen", async () => {
  const { connect } = await open("in-memory")

  const names = await namesOf(await connect("broken", "legacy"))

  expect(names.filter((name) => ["look", "wipe"].includes(name))).toEqual([])
})

it("tells shared caches that a list is not for everybody", async () => {
  const { connect } = await open("http")

  expect(await (await connect("writer", "modern")).listTools()).toMatchObject({ cacheScope: "private" })
})

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).sort()
}

async function open(way: "http" | "in-memory") {
  const look = action({ description: "Looks", readOnly: true, execute: () => ({ text: "seen" }) })
  const wipe = action({ description: "Wipes", execute: () => ({ text: "wiped" }) })
  const safe = state({ description: "The safe", schema: { type: "number" }, value: 42 })
  const all = createAgenticService({ name: "house", actions: { look, wipe }, states: { safe } })
  const some: AgenticService = createAgenticService({ name: "house", actions: { look } })
  const restricted = new Set(["reader"])
  const changes = new Subject<void>()
  const reader: ViewProfile = { service: some }
  const few: ViewProfile = { exposure: "meta" }
  const profiles: Profiles = {
    choose({ client: { name } = { name: "" } }) {
      if (name === "broken") throw new Error("broken")
      return restricted.has(name) ? reader : name === "few" ? few : undefined
    },
    changes,
  }
  const adapter = createMcpAdapter(all, { profiles, notices: { windowMs: 0 } })
  const server = way === "http" ? await serveHttp(adapter, { port: 0 }) : undefined
  onTestFinished(async () => {
    await server?.close()
    adapter.close()
  })
  return {
    async connect(name: string, era: Era): Promise<Client> {
      const client = new Client(
        { name, version: "0" },
        era === "modern" ? { versionNegotiation: { mode: "auto" } } : {},
      )
      const http = server && createHttpTransport(server.url)
      await client.connect(http?.transport ?? connectInMemory(adapter))
      onTestFinished(() => client.close())
      if (era === "legacy") await http?.streaming
      return client
    },
    restrict(name: string): void {
      restricted.add(name)
      changes.next()
    },
  }
}
