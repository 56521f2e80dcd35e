import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import {
  type AgenticService,
  action,
  createAgenticService,
  fail,
  link,
  type Principal,
  state,
} from "@x/agentic-service"
import { createMcpAdapter, type McpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { apiKeys, serveHttp } from "@x/mcp-adapter/http"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createLiveView, type Frame, record } from "../src/index.js"
import { look } from "./look.fixture.js"

const people: Readonly<Record<string, Principal>> = {
  ann: { id: "ann" },
  bob: { id: "bob" },
  elsewhere: { id: "ann", claims: { tenant: "elsewhere" } },
}

/** Creates a notebook whose texts all name its owner. */
function createNotebook(owner: string) {
  const pages$ = new BehaviorSubject<readonly string[]>([`first page of ${owner}`])
  const open$ = new BehaviorSubject(false)
  return createAgenticService({
    name: `notebook of ${owner}`,
    states: {
      pages: state({ schema: { type: "array", items: { type: "string" } }, value: pages$ }),
      [`only_${owner}`]: state({ schema: { type: "boolean" }, value: open$ }),
    },
    actions: {
      write: action({
        description: `Writes for ${owner}`,
        input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        execute: ({ text }) => {
          pages$.next([...pages$.value, text])
          open$.next(true)
          return { written: text }
        },
      }),
      [`close_${owner}`]: action({
        description: "Closes it",
        when: { is: open$, otherwise: `${owner} has not opened it` },
        execute: () => open$.next(false),
      }),
      tear: action({ description: "Tears it", execute: () => fail(`${owner} may not tear`) }),
      crash: action({
        description: "Crashes",
        execute: () => {
          throw new Error("it broke")
        },
      }),
    },
  })
}

/** Serves an adapter over HTTP, with names as API keys. */
async function serve(adapter: McpAdapter) {
  const server = await serveHttp(adapter, { port: 0, authenticate: apiKeys((key) => people[key]) })
  onTestFinished(() => server.close().finally(adapter.close))
  return {
    adapter,
    async connect(name: string, era: "modern" | "legacy" = "modern") {
      const client = new Client(
        { name: `program of ${name}`, version: "1" },
        era === "modern" ? { versionNegotiation: { mode: "auto" } } : {},
      )
      const headers = { "x-api-key": name }
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }))
      onTestFinished(() => client.close())
      return client
    },
  }
}

const serveNotebooks = () =>
  serve(createMcpAdapter((principal) => createNotebook(principal?.id ?? "nobody"), { name: "notebooks" }))

async function lookAs(adapter: McpAdapter, name: string) {
  const live = createLiveView(adapter, { principal: { id: name }, show: true })
  onTestFinished(live.close)
  return look(live)
}

/** Returns the frames of a recording, read from its file. */
function recordAs(adapter: McpAdapter, name: string) {
  const recorder = record(adapter, { principal: { id: name }, show: true })
  onTestFinished(recorder.close)
  return recorder
}

const callsOf = (frames: readonly Frame[]) => frames.flatMap((frame) => (frame.type === "call" ? [frame] : []))

describe("a live view of one principal", () => {
  it.each(["modern", "legacy"] as const)(
    "shows its calls, changes and clients, and none of others, %s",
    async (era) => {
      const { adapter, connect } = await serveNotebooks()
      const [ann, bob] = [await connect("ann", era), await connect("bob", era)]
      const recorder = recordAs(adapter, "ann")
      await recorder.ready
      const { frames, picture } = await lookAs(adapter, "ann")
      if (era === "modern") for (const client of [ann, bob]) await client.listen({ toolsListChanged: true })

      await bob.callTool({ name: "write", arguments: { text: "a secret of bob" } })
      await bob.callTool({ name: "tear" })
      await bob.callTool({ name: "crash" })
      await ann.callTool({ name: "write", arguments: { text: "a word of ann" } })

      await vi.waitFor(() => expect(picture().tools.get("close_ann")).toMatchObject({ available: true }))
      await vi.waitFor(() => expect(picture().clients).toMatchObject([{ info: { name: "program of ann" } }]))
      await vi.waitFor(() =>
        expect([...picture().calls.values()]).toMatchObject([
          { name: "write", info: { name: "program of ann" }, result: { written: "a word of ann" } },
        ]),
      )
      expect(JSON.stringify(frames)).not.toContain("bob")
      expect(recorder.toText()).toContain("a word of ann")
      expect(recorder.toText()).not.toContain("bob")
    },
  )

  it("shows the diagnostics of its own calls only", async () => {
    const { adapter, connect } = await serveNotebooks()
    const { picture } = await lookAs(adapter, "ann")
    const bobs = await lookAs(adapter, "bob")

    await (await connect("bob")).callTool({ name: "crash" })

    await vi.waitFor(() => expect(bobs.picture().notes).toMatchObject([{ code: "action_failed" }]))
    await (await connect("ann")).callTool({ name: "tear" })
    await vi.waitFor(() => expect(picture().calls.size).toBe(1))
    expect(picture().notes).toEqual([])
  })

  it("shows nothing of principals if it is opened for anonymous callers", async () => {
    const { adapter, connect } = await serveNotebooks()
    const live = createLiveView(adapter, { show: true })
    onTestFinished(live.close)
    const { frames, picture } = await look(live)

    await (await connect("bob")).callTool({ name: "write", arguments: { text: "a secret" } })
    await adapter.call("write", { text: "to everybody" })

    await vi.waitFor(() => expect(picture().calls.size).toBe(1))
    expect(JSON.stringify(frames)).not.toMatch(/bob|a secret/)
  })

  it("shows a principal its own calls if all share one view", async () => {
    const { adapter, connect } = await serve(createMcpAdapter(createNotebook("all")))
    const anns = await lookAs(adapter, "ann")
    const everybody = createLiveView(adapter, { show: true })
    onTestFinished(everybody.close)
    const all = await look(everybody)

    await (await connect("bob")).callTool({ name: "write", arguments: { text: "a secret of bob" } })
    await (await connect("ann")).callTool({ name: "tear" })

    await vi.waitFor(() => expect(all.picture().calls.size).toBe(2))
    await vi.waitFor(() => expect([...anns.picture().calls.values()]).toMatchObject([{ name: "tear" }]))
    expect(JSON.stringify(callsOf(anns.frames))).not.toContain("bob")
  })
})

describe("a live view of a principal with claims", () => {
  it("shows neither calls nor clients of the same id with other claims, and those of all its tokens", async () => {
    const here = (exp: number): Principal => ({ id: "ann", claims: { tenant: "here", exp } })
    const adapter = createMcpAdapter(createNotebook("all"))
    const { connect } = await serve(adapter)
    const view = createLiveView(adapter, { principal: here(1), show: true })
    onTestFinished(view.close)
    const { picture, frames } = await look(view)

    const elsewhere = await connect("elsewhere", "legacy")
    await elsewhere.callTool({ name: "write", arguments: { text: "seen by all" } })
    await adapter.call("tear", {}, { principal: here(2) })

    await vi.waitFor(() => expect([...picture().calls.values()]).toMatchObject([{ name: "tear" }]))
    expect(JSON.stringify(frames)).not.toMatch(/program of elsewhere/)
  })
})

describe("a live view with entries hidden from principals", () => {
  const allow: McpAdapterOptions["allow"] = (principal, entry) =>
    principal?.id === "ann" || entry.kind === "link" || !["close_all", "only_all"].includes(entry.key)

  it("shows only entries that its principal may see", async () => {
    const { adapter, connect } = await serve(createMcpAdapter(createNotebook("all"), { allow }))
    const [anns, bobs] = [await lookAs(adapter, "ann"), await lookAs(adapter, "bob")]

    await (await connect("bob")).callTool({ name: "write", arguments: { text: "seen by all" } })

    await vi.waitFor(() => expect(anns.picture().tools.get("close_all")).toMatchObject({ available: true }))
    const pages = (picture: typeof anns.picture) => [...picture().states.values()].find(({ name }) => name === "pages")
    for (const { picture } of [anns, bobs])
      await vi.waitFor(() => expect(pages(picture)?.value).toContainEqual("seen by all"))
    await vi.waitFor(() =>
      expect([...bobs.picture().calls.values()]).toMatchObject([{ status: "ok", changed: ["~pages"] }]),
    )
    expect(JSON.stringify(bobs.frames)).not.toMatch(/close_all|only_all/)
    expect(anns.picture().calls.size).toBe(0)
  })
})

describe("changes that no diff reports", () => {
  /** Creates a custom service whose declarations and reasons can change at any time. */
  function createForeign() {
    const own = createAgenticService({
      name: "foreign",
      actions: { go: action({ description: "Goes", execute: () => {} }) },
      links: {},
    })
    const { go } = own.declared.actions
    if (go === undefined) throw new Error("it declares what it was made with")
    let reason: string | undefined = "no page is open"
    const actions = new BehaviorSubject<Readonly<Record<string, never>>>({})
    let declared: AgenticService["declared"] = {
      ...own.declared,
      actions: { go: { ...go, unavailable: () => reason } },
    }
    const service = {
      ...own,
      actions,
      get declared() {
        return declared
      },
    }
    return {
      service,
      go,
      say(next: string) {
        reason = next
      },
      declare(parts: Partial<typeof declared>) {
        declared = { ...declared, ...parts }
        actions.next({})
      },
      emit: () => actions.next({}),
    }
  }

  async function lookAtForeign() {
    const foreign = createForeign()
    const adapter = createMcpAdapter(foreign.service)
    onTestFinished(adapter.close)
    const live = createLiveView(adapter)
    onTestFinished(live.close)
    return { ...foreign, adapter, ...(await look(live)) }
  }

  it("shows the current reason of an unavailable tool, whether the service announces it or not", async () => {
    const { picture, say, emit } = await lookAtForeign()
    expect(picture().tools.get("go")).toMatchObject({ available: false, reason: "no page is open" })

    say("the page shows something else")
    emit()
    await vi.waitFor(() => expect(picture().tools.get("go")).toMatchObject({ reason: "the page shows something else" }))
    say("nobody told of this")
    await vi.waitFor(() => expect(picture().tools.get("go")).toMatchObject({ reason: "nobody told of this" }), 5_000)
    expect(picture().tools.get("go")).not.toHaveProperty("last")
  })

  it("shows tools that are declared later and unavailable", async () => {
    const { picture, declare, go } = await lookAtForeign()

    declare({ actions: { go, stay: { ...go, unavailable: () => "it is not yet time" } } })

    await vi.waitFor(() =>
      expect(picture().tools.get("stay")).toMatchObject({ available: false, reason: "it is not yet time" }),
    )
  })

  it("shows built-in tools as they are added and removed", async () => {
    const { picture, declare } = await lookAtForeign()
    expect(picture().builtIns.dynamic).not.toContain("list_links")

    declare({ links: { lamp: { definition: {}, unavailable: () => "it is dark" } } })
    await vi.waitFor(() => expect(picture().builtIns.dynamic).toContain("list_links"))
    declare({ links: {} })
    await vi.waitFor(() => expect(picture().builtIns.dynamic).not.toContain("list_links"))
  })

  it("drops the reason of an action that is removed", async () => {
    const { picture, declare, adapter } = await lookAtForeign()

    declare({ actions: {} })

    await vi.waitFor(() => expect(picture().tools.get("go")?.reason).not.toBe("no page is open"))
    const { view } = adapter.core.open(undefined)
    expect([...picture().tools.keys()]).toEqual(view.known().map(({ name }) => name))
  })
})

describe("another service under the same name", () => {
  it("is reported with its values, in the page and with the call that caused it", async () => {
    const documentOf = (text: string) =>
      createAgenticService({
        name: "document",
        states: { text: state({ schema: { type: "string" }, value: text }) },
        actions: { wipe: action({ description: "Wipes it", execute: () => {} }) },
      })
    const [one, other] = [documentOf("the first"), documentOf("the second")]
    const open$ = new BehaviorSubject(one)
    const desk = createAgenticService({
      name: "desk",
      actions: { turn: action({ description: "Turns the page", execute: () => open$.next(other) }) },
      links: { open: link({ description: "The open document", service: open$ }) },
    })
    const { adapter, connect } = await serve(createMcpAdapter(desk))
    const { frames, picture } = await lookAs(adapter, "ann")

    await (await connect("ann")).callTool({ name: "turn" })

    await vi.waitFor(() =>
      expect([...picture().states.values()]).toMatchObject([{ value: "the second", last: { how: "replaced" } }]),
    )
    expect(picture().tools.get("open__wipe")).toMatchObject({ available: true, last: { how: "replaced" } })
    expect(frames.flatMap((frame) => (frame.type === "change" ? (frame.replaced ?? []) : []))).toEqual([["open"]])
    await vi.waitFor(() => expect([...picture().calls.values()][0]?.changed).toEqual(["~open/text", "~open"]))
  })
})

describe("the changes of a call", () => {
  /** Creates a counter: one action changes it at once, one on request, one never. */
  function createCounter() {
    const count$ = new BehaviorSubject(0)
    const raise = () => count$.next(count$.value + 1)
    const service = createAgenticService({
      name: "counter",
      states: { count: state({ schema: { type: "number" }, value: count$ }) },
      actions: {
        raise: action({ description: "Raises it", execute: raise }),
        later: action({ description: "Raises it later", execute: () => void setTimeout(raise, 5) }),
        see: action({ description: "Sees it", readOnly: true, execute: () => count$.value }),
      },
      links: {
        self: link({ description: "Another", service: createAgenticService({ name: "other" }) }),
      },
    })
    return { service }
  }

  it("are those between its start and its result, however soon the next call follows", async () => {
    const adapter = createMcpAdapter(createCounter().service)
    onTestFinished(adapter.close)
    const recorder = record(adapter, { show: true })
    await recorder.ready

    for (const name of ["see", "raise", "see", "raise"]) await adapter.call(name)
    await new Promise((resolve) => setImmediate(resolve))

    const last = new Map(callsOf(recorder.recording()?.frames ?? []).map((call) => [call.id, call]))
    expect([...last.values()].map(({ name, changed }) => [name, changed])).toEqual([
      ["see", undefined],
      ["raise", ["~count"]],
      ["see", undefined],
      ["raise", ["~count"]],
    ])
  })

  it("are not those of the next call, for a built-in tool over HTTP", async () => {
    const { adapter, connect } = await serve(createMcpAdapter(createCounter().service))
    const { picture } = await lookAs(adapter, "ann")
    const ann = await connect("ann")

    await ann.callTool({ name: "list_links" })
    await ann.callTool({ name: "raise" })

    await vi.waitFor(() => expect([...picture().calls.values()].map(({ status }) => status)).toEqual(["ok", "ok"]))
    await vi.waitFor(() =>
      expect([...picture().calls.values()].map(({ name, changed }) => [name, changed])).toEqual([
        ["list_links", undefined],
        ["raise", ["~count"]],
      ]),
    )
  })

  it("include those that its result reports, even if they follow the action", async () => {
    const { adapter, connect } = await serve(createMcpAdapter(createCounter().service))
    const { picture } = await lookAs(adapter, "ann")

    await (await connect("ann")).callTool({ name: "later" })

    await vi.waitFor(() =>
      expect([...picture().calls.values()]).toMatchObject([{ name: "later", status: "ok", changed: ["~count"] }]),
    )
  })
})

describe("the caller", () => {
  it("is the client's name, and never a session id", async () => {
    const adapter = createMcpAdapter(createNotebook("all"))
    const server = await serveHttp(adapter, { port: 0 })
    onTestFinished(() => server.close().finally(adapter.close))
    const live = createLiveView(adapter, { show: true })
    onTestFinished(live.close)
    const { frames, picture } = await look(live)
    const transport = new StreamableHTTPClientTransport(new URL(server.url))
    const client = new Client({ name: "odd\u202e \u0007name", version: "2" })
    await client.connect(transport)
    onTestFinished(() => client.close())

    await client.callTool({ name: "tear" })

    await vi.waitFor(() => expect([...picture().calls.values()]).toMatchObject([{ info: { name: "odd name" } }]))
    await vi.waitFor(() => expect(picture().clients).toHaveLength(1))
    expect(transport.sessionId).toBeTypeOf("string")
    expect(JSON.stringify(frames)).not.toContain(transport.sessionId)
    expect([...picture().callers.keys()]).toEqual(picture().clients.map((row) => `${row.client} odd name`))
  })
})
