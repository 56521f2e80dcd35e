import { randomBytes } from "node:crypto"
import type { Client } from "@modelcontextprotocol/client"
import type { AgenticService, Principal } from "@x/agentic-service"
import { type AdapterSource, createMcpAdapter, type McpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { type HttpOptions, type HttpServer, serveHttp } from "@x/mcp-adapter/http"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { fromMcpServer } from "@x/mcp-upstream"
import { acceptPages } from "@x/page-bridge/node"
import { createHttpTransport, type Era } from "../../../../packages/mcp-adapter/test/support/clients.js"
import { listenOnLoopback, openRawPage, type RawPage } from "../../../../packages/page-bridge/test/raw-page.fixture.js"
import { startChild } from "./child.js"
import type { Names } from "./names.js"
import { PATIENCE_MS } from "./patience.js"
import { PEOPLE, type Person } from "./steps.js"

/** Everything between two people's clients and their applications. */
export interface Stage {
  /** The names of members, as clients see them. */
  readonly names: Names
  /** Whether clients see a change some time after it happened, because it travels. */
  readonly travels: boolean
  /** Connects a client of a person. */
  connect(person: Person, client: Client): Promise<void>
  /** Whether a restart affects everybody, or only the person whose process or page it is. */
  readonly shared: boolean
  /** The part of a client's connection that a restart ends. */
  readonly cuts: "connection" | "streams" | "nothing"
  /** Whether values are known only after a read, so that a lost connection may have hidden a difference. */
  readonly guesses: boolean
  /** Ends a process or connection, and starts another in its place. */
  restart(person: Person): Promise<void>
  close(): Promise<void>
}

/** What a stage is built from. */
export interface Play {
  readonly era: Era
  readonly rootOf: (person: Person) => AgenticService
  readonly answeredBy: "asker" | "any"
  /** Called when a server has looked up the name of a call. */
  readonly arrived: (person: Person, name: string) => void
}

/** Ways between a client and an application. */
export const STAGES = {
  http: overHttp,
  "in-memory": overMemory,
  stdio: overStdio,
  page: overPage,
  gateway: overGateway,
} as const

const NAMES: Names = {
  tool: (slot, kind) => `${slot === "item" ? "items__one" : slot}__${kind}`,
  uri: (slot, key) => `agentic://desk/${slot === "item" ? "items/one" : slot}/${key}`,
  hold: "hold",
  aliases: true,
}

/** Returns the options that every process of a stage shares. */
function toOptions(answeredBy: "asker" | "any", secret: Uint8Array): McpAdapterOptions {
  return {
    name: "desk",
    calls: { running: 1, graceMs: 10 },
    notices: { windowMs: 0 },
    principals: { idleMs: 1 },
    limits: { readyWaitMs: PATIENCE_MS },
    questions: { secret, answeredBy },
  }
}

function toPerson(principal: Principal | undefined): Person {
  return principal?.id === "bob" ? "bob" : "ann"
}

function follow(adapter: McpAdapter, arrived: Play["arrived"]): void {
  adapter.events.subscribe((event) => {
    if (event.type === "call-started") arrived(toPerson(event.principal), event.name)
  })
}

const authenticate = ({ headers }: { readonly headers: Pick<Headers, "get"> }): Principal => ({
  id: headers.get("authorization")?.replace("Bearer ", "") ?? "",
})

/** Serves an adapter over HTTP. A restart opens a new server on the same port. */
async function createSite(create: () => McpAdapter, options: HttpOptions = {}) {
  let adapter = create()
  let server: HttpServer = await serveHttp(adapter, { ...options, port: 0, authenticate, drainMs: 0 })
  const { port } = new URL(server.url)
  const end = async (): Promise<void> => {
    await server.close()
    adapter.close()
  }
  return {
    url: server.url,
    async restart(): Promise<void> {
      await end()
      // Clients must notice that their idle sockets have closed.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      adapter = create()
      server = await serveHttp(adapter, { ...options, port: Number(port), authenticate, drainMs: 0 })
    },
    async connect(person: Person, client: Client, era: Era): Promise<void> {
      const { transport, streaming } = createHttpTransport(server.url, `Bearer ${person}`)
      await client.connect(transport)
      if (era === "legacy") await streaming
    },
    close: end,
  }
}

/** A server without tools of its own, whose names would clash with those of the gateway. */
const BARE: HttpOptions = { states: "resources", tools: { runAction: false, listLinks: false } }

async function overHttp({ era, rootOf, answeredBy, arrived }: Play): Promise<Stage> {
  const options = toOptions(answeredBy, randomBytes(32))
  const site = await createSite(() => {
    const adapter = createMcpAdapter((principal) => rootOf(toPerson(principal)), options)
    follow(adapter, arrived)
    return adapter
  })
  return {
    names: NAMES,
    ...{ travels: false, shared: true, guesses: false },
    // Modern requests need no session.
    cuts: era === "legacy" ? "connection" : "streams",
    connect: (person, client) => site.connect(person, client, era),
    restart: site.restart,
    close: site.close,
  }
}

async function overMemory({ rootOf, answeredBy, arrived }: Play): Promise<Stage> {
  const options = toOptions(answeredBy, randomBytes(32))
  const source: AdapterSource = (principal) => rootOf(toPerson(principal))
  const create = (): McpAdapter => {
    const adapter = createMcpAdapter(source, options)
    follow(adapter, arrived)
    return adapter
  }
  let adapter = create()
  return {
    names: NAMES,
    ...{ travels: false, shared: true, guesses: false, cuts: "connection" },
    connect: (person, client) => client.connect(connectInMemory(adapter, { principal: { id: person } })),
    async restart() {
      adapter.close()
      adapter = create()
    },
    close: async () => adapter.close(),
  }
}

/** Starts a process for each person. It serves a mirror of the application in this process. */
async function overStdio({ rootOf, answeredBy, arrived }: Play): Promise<Stage> {
  const secret = randomBytes(32).toString("hex")
  const children = new Map<Person, ReturnType<typeof startChild>>()
  const start = (person: Person): ReturnType<typeof startChild> => {
    const child = startChild(rootOf(person), {
      ...{ person, answeredBy, secret },
      arrived: (name) => arrived(person, name),
    })
    children.set(person, child)
    return child
  }
  return {
    names: NAMES,
    ...{ travels: true, shared: false, guesses: false, cuts: "connection" },
    connect: (person, client) => client.connect((children.get(person) ?? start(person)).transport),
    async restart(person) {
      await children.get(person)?.close()
      children.delete(person)
    },
    async close() {
      for (const child of children.values()) await child.close()
    },
  }
}

/** Serves the applications of pages, each connected by a WebSocket. */
async function overPage({ era, rootOf, answeredBy, arrived }: Play): Promise<Stage> {
  const { server, port } = await listenOnLoopback()
  const pages = acceptPages(server, {
    ...{ app: "desk", reloadMs: PATIENCE_MS, switchMs: 0 },
    limits: { paceMs: 0 },
    authenticate: ({ request }) => ({ id: request.headers.cookie ?? "" }),
  })
  const options = toOptions(answeredBy, randomBytes(32))
  const site = await createSite(() => {
    const adapter = createMcpAdapter((principal) => pages.of(principal), options)
    follow(adapter, arrived)
    return adapter
  })
  const opened = new Map<Person, RawPage>()
  const open = async (person: Person): Promise<void> => {
    opened.set(person, await openRawPage(rootOf(person), { port, cookie: person, tab: person, focused: true }))
  }
  for (const person of PEOPLE) await open(person)
  return {
    names: NAMES,
    ...{ travels: true, shared: false, guesses: false, cuts: "nothing" },
    connect: (person, client) => site.connect(person, client, era),
    async restart(person) {
      const page = opened.get(person)
      page?.socket.terminate()
      await page?.closed
      await open(person)
    },
    async close() {
      for (const page of opened.values()) page.socket.terminate()
      await site.close()
      pages.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Serves servers of each person that are MCP servers themselves. */
async function overGateway({ era, rootOf, answeredBy, arrived }: Play): Promise<Stage> {
  const options = toOptions(answeredBy, randomBytes(32))
  const inner = await createSite(() => {
    const adapter = createMcpAdapter((principal) => rootOf(toPerson(principal)), options)
    follow(adapter, arrived)
    return adapter
  }, BARE)
  const reach = (person: Person) =>
    fromMcpServer(
      { url: inner.url, headers: { authorization: `Bearer ${person}` } },
      { name: "desk", era, connect: "eager", plainNames: true, limits: { retryMs: 1 } },
    )
  const upstreams = { ann: reach("ann"), bob: reach("bob") }
  // Calls wait for their turn at the inner server: the outer one cannot know what stands under a name there.
  const outer = await createSite(() =>
    createMcpAdapter((principal) => upstreams[toPerson(principal)], {
      ...options,
      calls: { running: 100, graceMs: 10 },
    }),
  )
  return {
    names: { ...NAMES, aliases: false },
    ...{ travels: true, shared: true, guesses: true, cuts: "nothing" },
    connect: (person, client) => outer.connect(person, client, era),
    restart: inner.restart,
    async close() {
      await outer.close()
      for (const person of PEOPLE) await upstreams[person].close()
      await inner.close()
    },
  }
}
