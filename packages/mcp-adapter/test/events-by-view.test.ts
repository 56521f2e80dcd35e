import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, createAgenticService, link, type Principal, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { apiKeys, serveHttp } from "../src/border/http.js"
import { type AdapterEvent, createMcpAdapter } from "../src/index.js"

/** Creates one principal's desk: a count, an action that raises it, a broken member, and a drawer. */
function createDesk(owner: string) {
  const count$ = new BehaviorSubject(0)
  const drawer = createAgenticService({
    name: "drawer",
    actions: { shut: action({ description: "Shuts it", execute: () => {} }) },
  })
  return createAgenticService({
    name: "desk",
    states: { count: state({ description: `The count of ${owner}`, schema: { type: "number" }, value: count$ }) },
    actions: {
      raise: action({ description: "Raises it", execute: () => count$.next(count$.value + 1) }),
      look: action({ description: "Looks at it", readOnly: true, execute: () => ({ count: count$.value }) }),
      crash: action({
        description: "Crashes",
        execute: () => {
          throw new Error(`the secret of ${owner}`)
        },
      }),
    },
    links: { drawer: link({ description: "The drawer", service: drawer }) },
  })
}

const people: Readonly<Record<string, Principal>> = { ann: { id: "ann" }, bob: { id: "bob" } }

/** Serves each principal their own desk over HTTP, with names as tokens. */
async function serveDesks() {
  const adapter = createMcpAdapter((principal) => createDesk(principal?.id ?? "nobody"), { name: "desks" })
  const events: AdapterEvent[] = []
  adapter.events.subscribe((event) => events.push(event))
  const server = await serveHttp(adapter, {
    port: 0,
    links: "endpoints",
    authenticate: apiKeys((key) => people[key]),
  })
  onTestFinished(() => server.close().finally(adapter.close))
  const viewOf = (name: string): string => {
    const { view, release } = adapter.core.open(people[name])
    release()
    return view.id
  }
  const connect = async (name: string, { era = "modern", path = "" } = {}) => {
    const client = new Client(
      { name: `client of ${name}`, version: "1.2" },
      era === "modern" ? { versionNegotiation: { mode: "auto" } } : {},
    )
    const headers = { "x-api-key": name }
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url + path), { requestInit: { headers } }))
    onTestFinished(() => client.close())
    return client
  }
  const callsOf = (name: string) => events.filter((event) => "id" in event && event.view === viewOf(name))
  return { adapter, events, connect, viewOf, callsOf }
}

describe("adapter.events", () => {
  it.each(["modern", "legacy"])("carry the view of each call, and the client's name, in the %s era", async (era) => {
    const { connect, callsOf } = await serveDesks()
    const [ann, bob] = [await connect("ann", { era }), await connect("bob", { era })]

    await ann.callTool({ name: "raise" })
    await bob.callTool({ name: "look" })

    const told = { info: { name: "client of ann", version: "1.2" }, name: "raise", principal: { id: "ann" } }
    expect(callsOf("ann")).toMatchObject([
      { type: "call-started", ...told },
      { type: "call-settled", ...told },
      { type: "call-caught-up", ...told, diff: { values: [{ key: "count" }] } },
    ])
    expect(callsOf("bob")).toMatchObject([
      { type: "call-started", name: "look" },
      { type: "call-settled", name: "look" },
    ])
  })

  it("carry the view of the principal for calls by the endpoint of a link", async () => {
    const { connect, callsOf } = await serveDesks()
    const ann = await connect("ann", { path: "/links/drawer" })

    await ann.callTool({ name: "shut" })

    expect(callsOf("ann").map(({ type }) => type)).toEqual(["call-started", "call-settled"])
    expect(callsOf("bob")).toEqual([])
  })

  it("carry the view of changes and diagnostics", async () => {
    const { connect, events, viewOf } = await serveDesks()
    const [ann, bob] = [await connect("ann"), await connect("bob")]

    await ann.callTool({ name: "crash" })
    await bob.callTool({ name: "raise" })
    await vi.waitFor(() => expect(events.filter(({ type }) => type === "changed").length).toBeGreaterThan(0))

    const views = (type: AdapterEvent["type"]) =>
      new Set(events.flatMap((event) => (event.type === type ? [event.view] : [])))
    expect(views("diagnostic")).toEqual(new Set([viewOf("ann")]))
    await vi.waitFor(() => expect(views("changed")).toContain(viewOf("bob")))
    expect(viewOf("ann")).not.toBe(viewOf("bob"))
  })

  it("carry the shared view when all callers see the same", async () => {
    const adapter = createMcpAdapter(createDesk("all"))
    onTestFinished(adapter.close)
    const views = new Set<string | undefined>()
    adapter.events.subscribe((event) => views.add(event.view))

    await adapter.call("raise", {}, { principal: { id: "ann" } })
    await adapter.call("crash", {}, { principal: { id: "bob" } })
    await vi.waitFor(() => expect(adapter.ledger.counts().call).toBe(0))

    const { view } = adapter.core.open(undefined)
    expect(views).toEqual(new Set([view.id]))
  })

  it("carry no view for changes of a service that several views share", async () => {
    const adapter = createMcpAdapter(createDesk("all"), { allow: () => true })
    onTestFinished(adapter.close)
    const changed: AdapterEvent[] = []
    adapter.events.subscribe((event) => event.type === "changed" && changed.push(event))

    await adapter.call("raise", {}, { principal: { id: "ann" } })

    await vi.waitFor(() => expect(changed).toHaveLength(1))
    expect(changed[0]).not.toHaveProperty("view")
  })
})

describe("the clients in the ledger", () => {
  it.each(["modern", "legacy"])("carry the view that they listen to, and their name, in the %s era", async (era) => {
    const { adapter, connect, viewOf } = await serveDesks()
    const ann = await connect("ann", { era })
    if (era === "modern") await ann.listen({ toolsListChanged: true })

    await vi.waitFor(() =>
      expect(adapter.ledger.listeners()).toMatchObject([
        { view: viewOf("ann"), principal: { id: "ann" }, info: { name: "client of ann", version: "1.2" } },
      ]),
    )
  })
})

describe("the list of tools", () => {
  it("has the adapter's own tools for newly declared members, even with equal actions", async () => {
    const desk = createDesk("ann")
    const bare = { ...desk, states: new BehaviorSubject({}), links: new BehaviorSubject({}) }
    let declared = { ...desk.declared, links: {}, states: {} }
    const adapter = createMcpAdapter({
      ...bare,
      get declared() {
        return declared
      },
    })
    const server = await serveHttp(adapter, { port: 0 })
    onTestFinished(() => server.close().finally(adapter.close))
    const client = new Client({ name: "test", version: "0" })
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
    onTestFinished(() => client.close())
    const list = async () => (await client.listTools()).tools.map(({ name }) => name)

    const before = await list()
    declared = desk.declared
    const after = await list()

    expect(before).not.toContain("list_links")
    expect(after).toContain("list_links")
  })
})
