import type { Client } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { filter, firstValueFrom, ReplaySubject, take, toArray } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer, mcpExtension, type Upstream } from "../src/index.js"
import { createScripted, type Scripted, tool } from "./scripted.js"
import { connectTo, type Era } from "./servers.js"

const ALL = ["tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated"]
const URI = "x://1"

interface World {
  tools: string[]
  prompts: string[]
  resources: string[]
  templates: string[]
}

/** Events at the server, and the notices that a client receives. */
const happenings: readonly (readonly [string, (world: World, script: Scripted) => void, readonly string[]])[] = [
  [
    "another tool",
    (world, script) => {
      world.tools.push("new")
      script.notify("notifications/tools/list_changed")
    },
    ["tools/list_changed"],
  ],
  [
    "another prompt",
    (world, script) => {
      world.prompts.push("new")
      script.notify("notifications/prompts/list_changed")
    },
    ["prompts/list_changed"],
  ],
  [
    "another resource",
    (world, script) => {
      world.resources.push("x://2")
      script.notify("notifications/resources/list_changed")
    },
    ["resources/list_changed"],
  ],
  ["a new value", (_, script) => script.notify("notifications/resources/updated", { uri: URI }), ["resources/updated"]],
  [
    "a new value of a resource that is not listed",
    (_, script) => script.notify("notifications/resources/updated", { uri: "x://page/7" }),
    ["resources/updated"],
  ],
  ["no change of tools", (_, script) => script.notify("notifications/tools/list_changed"), []],
  ["no change of prompts", (_, script) => script.notify("notifications/prompts/list_changed"), []],
  ["no change of resources", (_, script) => script.notify("notifications/resources/list_changed"), []],
]

describe.each<[number, Era, Era]>([
  [1, "legacy", "legacy"],
  [1, "modern", "legacy"],
  [2, "legacy", "legacy"],
  [2, "legacy", "modern"],
  [2, "modern", "legacy"],
  [2, "modern", "modern"],
])("through %i of us, to a client of the %s era, over the %s era between", (hops, near, between) => {
  it.each(happenings)("%s is told once", async (_, happen, expected) => {
    const { client, world, script } = await open({ hops, near, between })
    const heard = await hear(client)

    happen(world, script)
    await Promise.all(expected.map((what) => heard.until(what, 1)))
    // Any duplicate notice has arrived by the time that a later one arrives on the same path.
    for (const [what, follow] of followers) {
      const before = heard.count(what)
      follow(world, script)
      await heard.until(what, before + 1)
    }

    const counts = ALL.map((what) => [what, heard.count(what)])
    expect(counts).toEqual(ALL.map((what) => [what, expected.includes(what) ? 2 : 1]))
  })
})

/** Changes of each kind. */
const followers: readonly (readonly [string, (world: World, script: Scripted) => void])[] = [
  [
    "tools/list_changed",
    (world, script) => {
      world.tools.push("last")
      script.notify("notifications/tools/list_changed")
    },
  ],
  [
    "prompts/list_changed",
    (world, script) => {
      world.prompts.push("last")
      script.notify("notifications/prompts/list_changed")
    },
  ],
  [
    "resources/list_changed",
    (world, script) => {
      world.resources.push("x://last")
      script.notify("notifications/resources/list_changed")
    },
  ],
  ["resources/updated", (_, script) => script.notify("notifications/resources/updated", { uri: URI })],
]

async function open({ hops, near, between }: { hops: number; near: Era; between: Era }) {
  const world: World = { tools: ["a"], prompts: ["p"], resources: [URI], templates: ["x://page/{id}"] }
  const script = createScripted(
    {
      "tools/list": () => ({ tools: world.tools.map((name) => tool(name)) }),
      "tools/call": () => ({ content: [] }),
      "prompts/list": () => ({ prompts: world.prompts.map((name) => ({ name })) }),
      "resources/list": () => ({ resources: world.resources.map((uri) => ({ uri, name: uri })) }),
      "resources/templates/list": () => ({
        resourceTemplates: world.templates.map((uriTemplate) => ({ uriTemplate, name: "page" })),
      }),
      "resources/read": ({ uri }) => ({ contents: [{ uri, text: "now" }] }),
      "resources/subscribe": () => ({}),
      "resources/unsubscribe": () => ({}),
    },
    {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    },
  )
  let server = kept(fromMcpServer({ transport: script.transport }, { plainNames: true }))
  await firstValueFrom(server.actions)
  if (hops === 2) server = await serveAgain(server, between)
  const client = await connectTo(server, near)
  await Promise.all([client.listTools(), client.listPrompts(), client.listResources()])
  return { client, world, script }
}

async function serveAgain(server: Upstream, era: Era): Promise<Upstream> {
  const extension = mcpExtension(server)
  const adapter = createMcpAdapter(server, { notices: { windowMs: 0 } })
  const middle = await serveHttp(adapter, { port: 0, extension, results: { catchUp: false } })
  const far = kept(fromMcpServer({ url: middle.url }, { era, plainNames: true }))
  onTestFinished(async () => {
    await far.close()
    await middle.close()
    extension.close()
    adapter.close()
  })
  await firstValueFrom(far.actions)
  return far
}

function kept(server: Upstream): Upstream {
  onTestFinished(() => server.close())
  return server
}

interface Heard {
  /** Returns the number of notices received. */
  count(what: string): number
  /** Settles once that many notices have arrived. */
  until(what: string, count: number): Promise<void>
}

/** Records all notifications by short names. */
async function hear(client: Client): Promise<Heard> {
  const told = new ReplaySubject<string>()
  const all: string[] = []
  told.subscribe((what) => all.push(what))
  for (const what of ALL) {
    // The names are the specification's.
    const method = `notifications/${what}` as "notifications/tools/list_changed"
    client.setNotificationHandler(method, () => told.next(what))
  }
  const uris = [URI, "x://page/7"]
  if (client.getProtocolEra() === "modern") {
    const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
    await client.listen({ ...lists, resourceSubscriptions: uris })
  } else for (const uri of uris) await client.subscribeResource({ uri })
  return {
    count: (what) => all.filter((each) => each === what).length,
    async until(what, count) {
      await firstValueFrom(
        told.pipe(
          filter((each) => each === what),
          take(count),
          toArray(),
        ),
      )
    },
  }
}
