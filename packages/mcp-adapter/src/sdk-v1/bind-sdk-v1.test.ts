import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerCapabilities,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { action, createAgenticService, type Link, state } from "@x/agentic-service"
import { BehaviorSubject, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createBoard } from "../../test/support/board.mjs"
import { settled } from "../border/server/deliver-notices.js"
import { createMcpAdapter, type McpAdapter } from "../create-adapter.js"
import { hostClock } from "../runtime/host.js"
import { bindSdkV1 } from "./bind-sdk-v1.js"
import { connectWire, type Wire } from "./wire.fixture.js"

const TOOLS_CHANGED = "notifications/tools/list_changed"
const RESOURCES_CHANGED = "notifications/resources/list_changed"
const COUNT = "agentic://board/count"
const all = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } }

describe("bindSdkV1", () => {
  it("announces its capabilities beside the server's own", async () => {
    const { wire } = await serve({ capabilities: { logging: {} } })

    expect(await wire.initialize()).toMatchObject({ capabilities: { logging: {}, ...all } })
  })

  it("announces no notices and accepts no subscriptions if the transport cannot carry them", async () => {
    const board = createBoard()
    const server = new Server({ name: "own", version: "0" })
    const binding = bindSdkV1(createMcpAdapter(board.service), server, { notices: false })
    const wire = await connectWire(server)

    expect(await wire.initialize()).toMatchObject({ capabilities: { tools: {}, resources: {} } })
    await expect(wire.request("resources/subscribe", { uri: COUNT })).rejects.toMatchObject({ code: -32601 })
    board.toggle()
    await wire.request("tools/call", { name: "add" })
    binding.close()
    await wire.request("ping")
    expect(wire.heard().filter((method) => method !== "answer")).toEqual([])
  })

  it("answers wrong parameters with -32602", async () => {
    const { wire } = await serve()

    await expect(wire.request("tools/list", { cursor: "mine" })).rejects.toMatchObject({ code: -32602 })
    await expect(wire.request("tools/call", { name: 1 })).rejects.toMatchObject({ code: -32602 })
    await expect(wire.request("resources/read", {})).rejects.toMatchObject({ code: -32602 })
  })

  it("sends the notice of a call's change before its answer on a pipe", async () => {
    const { wire } = await serve()
    await wire.initialize()

    await wire.request("tools/call", { name: "start" })

    expect(wire.heard().slice(-2)).toEqual([TOOLS_CHANGED, "answer"])
  })

  it("sends a client no notice before it says that it is ready", async () => {
    const { wire, board } = await serve()

    board.toggle()
    await wire.request("tools/list")
    expect(wire.heard()).toEqual(["answer"])
    await wire.initialize()
    const told = wire.hears(TOOLS_CHANGED)
    board.toggle()

    await told
  })

  it("still calls the server owner's callbacks", async () => {
    const server = new Server({ name: "own", version: "0" })
    const called: string[] = []
    server.oninitialized = () => called.push("ready")
    server.onclose = () => called.push("closed")
    bindSdkV1(createMcpAdapter(createBoard().service), server)
    const wire = await connectWire(server)

    await wire.initialize()
    await wire.close()

    expect(called).toEqual(["ready", "closed"])
  })

  it("releases everything when the connection ends", async () => {
    const { wire, adapter } = await serve()
    const problems: unknown[] = []
    adapter.events.subscribe((event) => event.type === "diagnostic" && problems.push(event.diagnostic))
    await wire.initialize()
    await wire.request("resources/subscribe", { uri: COUNT })
    expect(adapter.ledger.counts()).toMatchObject({ session: 1 })

    await wire.close()
    await settled(hostClock)
    expect(problems).toEqual([])
    adapter.close()

    expect(held(adapter)).toEqual([])
  })

  it("restores the server when the adapter closes", async () => {
    const { wire, adapter } = await serve({ own: ["mine"] })
    await wire.initialize()
    const told = wire.hears(TOOLS_CHANGED)

    adapter.close()

    await told
    expect(held(adapter)).toEqual([])
    expect(await names(wire)).toEqual(["mine"])
  })

  it("holds nothing once it is closed on a connection that stays open", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const before = adapter.ledger.counts()
    const server = new Server({ name: "own", version: "0" })
    const binding = bindSdkV1(adapter, server)
    const wire = await connectWire(server)
    await wire.initialize()
    await wire.request("resources/subscribe", { uri: COUNT })

    binding.close()

    expect(adapter.ledger.counts()).toEqual(before)
    expect(server).not.toHaveProperty("oninitialized")
    expect(server).not.toHaveProperty("onclose")
  })

  it.each([
    ["an McpServer", new McpServer({ name: "own", version: "0" })],
    ["a server without handlers", { _capabilities: {} }],
    ["a server without capabilities", { _requestHandlers: new Map() }],
  ])("refuses %s", (_, server: object) => {
    const adapter = createMcpAdapter(createBoard().service)

    // As untyped code would call it.
    expect(() => bindSdkV1(adapter, server as Server)).toThrow(expect.objectContaining({ code: "unsupported_sdk" }))
    expect(adapter.ledger.counts()).toMatchObject({ session: 0 })
  })
})

describe("bindSdkV1, on a server with tools of its own", () => {
  it("lists both, sorted", async () => {
    const { wire } = await serve({ own: ["zoom", "aim"] })

    const listed = await names(wire)

    expect(listed).toEqual([...listed].sort())
    expect(listed).toEqual(expect.arrayContaining(["add", "aim", "zoom", "get_state"]))
  })

  it("lists every page of both, in pages of its own", async () => {
    const { wire } = await serve({ own: ["a", "b", "c"], pageSize: 2 })

    const { tools, nextCursor } = await wire.request("tools/list")

    expect(tools).toMatchObject([{ name: "a" }, { name: "add" }])
    expect((await wire.request("tools/list", { cursor: nextCursor }))["tools"]).toMatchObject([
      { name: "b" },
      { name: "c" },
    ])
  })

  it("calls tools of both sides, and passes unlisted names to the server", async () => {
    const { wire } = await serve({ own: ["mine"] })

    expect(await call(wire, "mine")).toBe("theirs: mine")
    expect(await call(wire, "add")).toBe('{"result":1}')
    expect(await call(wire, "hidden")).toBe("theirs: hidden")
  })

  it("answers for a known action that is not available", async () => {
    const { wire } = await serve({ own: ["mine"] })

    expect(await wire.request("tools/call", { name: "undo" })).toMatchObject({ isError: true })
  })

  it("waits for late services before it passes a name to the server", async () => {
    const inner = createAgenticService({ name: "inner", actions: { go: action({ description: "Go", execute() {} }) } })
    const links = new Subject<Record<string, Link>>()
    const own = createServerWith(["mine"])
    bindSdkV1(createMcpAdapter({ ...createAgenticService({ name: "late" }), links }), own)
    const wire = await connectWire(own)

    const called = call(wire, "inner__go")
    await settled(hostClock)
    links.next({ inner: { service: inner } })

    expect(await called).toBe("done")
  })

  it("leaves out a tool whose name the server uses, and reports it once", async () => {
    const { wire, adapter } = await serve({ own: ["add", "get_state"] })
    const clashes: string[] = []
    adapter.events.subscribe((event) => {
      if (event.type === "diagnostic" && event.diagnostic.code === "name_clash") clashes.push(event.diagnostic.message)
    })

    expect((await names(wire)).filter((name) => name === "add")).toHaveLength(1)
    await names(wire)

    expect(await call(wire, "add")).toBe("theirs: add")
    expect(await call(wire, "run_action", { args: { name: "add" } })).toBe('{"result":1}')
    expect(clashes).toEqual([
      '"get_state" of tools/list is left out: the server has its own item of that name',
      '"add" of tools/list is left out: the server has its own item of that name',
    ])
  })

  it("knows the server's names before the first list", async () => {
    const { wire } = await serve({ own: ["add"] })

    expect(await call(wire, "add")).toBe("theirs: add")
  })

  it("decides by the list that the client saw last", async () => {
    const own = ["mine"]
    const { wire } = await serve({ own })
    await names(wire)
    own.push("add")

    expect(await call(wire, "add")).toBe('{"result":1}')
    await names(wire)
    expect(await call(wire, "add")).toBe("theirs: add")
  })

  it("restores the server's handlers when it closes, and tells the client", async () => {
    const { wire, binding } = await serve({ own: ["mine"] })
    await wire.initialize()
    const told = Promise.all([wire.hears(TOOLS_CHANGED), wire.hears(RESOURCES_CHANGED)])

    binding.close()
    binding.close()

    await told
    expect(await names(wire)).toEqual(["mine"])
    expect(await call(wire, "add")).toBe("theirs: add")
    await expect(wire.request("resources/list")).rejects.toMatchObject({ code: -32601 })
    expect(wire.heard().filter((method) => method === TOOLS_CHANGED)).toHaveLength(1)
  })

  it("keeps a handler that was replaced in the meantime", async () => {
    const { wire, binding, server } = await serve({ own: ["mine"] })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [toTool("newer")] }))

    binding.close()

    expect(await names(wire)).toEqual(["newer"])
  })

  it("lets two adapters share a server", async () => {
    const server = new Server({ name: "own", version: "0" })
    const adapter = createMcpAdapter(createBoard().service)
    bindSdkV1(adapter, server, { results: { catchUp: false } })
    const second = createMcpAdapter(
      createAgenticService({
        name: "second",
        actions: { other: action({ description: "Another", output: { type: "string" }, execute: () => "second" }) },
      }),
    )
    const binding = bindSdkV1(second, server)
    const shared = await connectWire(server)
    await shared.initialize()

    expect(await names(shared)).toEqual(expect.arrayContaining(["add", "other"]))
    expect(await call(shared, "other")).toBe('{"result":"second"}')
    expect(await call(shared, "add")).toBe('{"result":1}')
    binding.close()
    expect(await names(shared)).not.toContain("other")
    await shared.close()
    adapter.close()
    second.close()
    expect([...held(adapter), ...held(second)]).toEqual([])
  })
})

describe("bindSdkV1, on a server with resources of its own", () => {
  it("lists and reads both", async () => {
    const { wire } = await serveResources()

    const { resources } = await wire.request("resources/list")

    expect(resources).toMatchObject([{ uri: COUNT }, { uri: "own://a" }])
    expect(await wire.request("resources/read", { uri: "own://a" })).toEqual({
      contents: [{ uri: "own://a", text: "a" }],
    })
    expect(await wire.request("resources/read", { uri: COUNT })).toMatchObject({ contents: [{ text: "0" }] })
  })

  it("passes on subscriptions to the server's resources only", async () => {
    const { wire, subscribed, board } = await serveResources()
    await wire.initialize()

    await wire.request("resources/subscribe", { uri: "own://a" })
    await wire.request("resources/subscribe", { uri: COUNT })
    const told = wire.hears("notifications/resources/updated")
    board.count()

    await told
    expect(subscribed).toEqual(["own://a"])
    await wire.request("resources/unsubscribe", { uri: COUNT })
    board.count()
    board.toggle()
    await wire.hears(TOOLS_CHANGED)
    expect(wire.heard().filter((method) => method === "notifications/resources/updated")).toHaveLength(1)
  })
})

describe("bindSdkV1, on a server with resources and subscriptions of its own", () => {
  it("ends a subscription to a state that has been hidden", async () => {
    const shown = new BehaviorSubject(true)
    const secret = state({ description: "A secret", schema: {}, value: 1, when: shown })
    const unsubscribed: string[] = []
    const server = new Server({ name: "own", version: "0" }, { capabilities: { resources: { subscribe: true } } })
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
      unsubscribed.push(params.uri)
      return {}
    })
    bindSdkV1(createMcpAdapter(createAgenticService({ name: "board", states: { secret } })), server)
    const wire = await connectWire(server)
    const uri = "agentic://board/secret"
    await wire.request("resources/subscribe", { uri })
    shown.next(false)

    await wire.request("resources/unsubscribe", { uri })
    await wire.request("resources/unsubscribe", { uri })

    expect(unsubscribed).toEqual([uri])
  })
})

describe("bindSdkV1, on an McpServer", () => {
  it("lists and calls tools registered before and after", async () => {
    const server = new McpServer({ name: "own", version: "0" })
    server.registerTool("before", {}, () => ({ content: [{ type: "text", text: "theirs" }] }))
    bindSdkV1(createMcpAdapter(createBoard().service), server.server, { results: { catchUp: false } })
    server.registerTool("after", {}, () => ({ content: [] }))
    const wire = await connectWire(server.server)

    expect(await names(wire)).toEqual(expect.arrayContaining(["add", "after", "before"]))
    expect(await call(wire, "before")).toBe("theirs")
    expect(await call(wire, "add")).toBe('{"result":1}')
  })
})

describe("bindSdkV1, on a connected server", () => {
  it("refuses if a capability is not announced, and changes nothing", async () => {
    const server = new Server({ name: "own", version: "0" }, { capabilities: { tools: {} } })
    const adapter = createMcpAdapter(createBoard().service)
    const wire = await connectWire(server)

    expect(() => bindSdkV1(adapter, server)).toThrow(
      'the server is already connected and does not announce "resources", "resources.listChanged", ' +
        '"resources.subscribe", "tools.listChanged": bind before it connects, or pass them to its constructor',
    )

    await expect(wire.request("tools/list")).rejects.toMatchObject({ code: -32601 })
    expect(adapter.ledger.counts()).toMatchObject({ session: 0 })
  })

  it("tells the client at once if everything is announced", async () => {
    const server = new Server({ name: "own", version: "0" }, { capabilities: all })
    const wire = await connectWire(server)
    await wire.initialize()
    const told = Promise.all([wire.hears(TOOLS_CHANGED), wire.hears(RESOURCES_CHANGED)])

    bindSdkV1(createMcpAdapter(createBoard().service), server)

    await told
    expect(await names(wire)).toContain("add")
  })
})

describe("bindSdkV1, with callers to identify", () => {
  it("serves the sender of the first request, and no other principal", async () => {
    const { wire, boards } = await serveBoth()

    expect(await call(wire, "add", { token: "ann" })).toBe('{"result":1}')
    await expect(call(wire, "add", { token: "bob" })).rejects.toMatchObject({ code: -32600 })
    await expect(call(wire, "add")).rejects.toMatchObject({ code: -32600 })

    expect(boards.ann.count()).toBe(2)
    expect(boards.bob.count()).toBe(1)
  })

  it("sends the notices of that caller, and of no other", async () => {
    const { wire, boards } = await serveBoth()
    await wire.initialize()
    await wire.request("tools/list", {}, "ann")

    boards.bob.toggle()
    await wire.request("tools/list", {}, "ann")
    expect(wire.heard()).not.toContain(TOOLS_CHANGED)

    const told = wire.hears(TOOLS_CHANGED)
    boards.ann.toggle()
    await told
  })

  it("answers a fault of the application with an internal error without details", async () => {
    const adapter = createMcpAdapter(createBoard().service)
    const reported: unknown[] = []
    adapter.events.subscribe((event) => event.type === "diagnostic" && reported.push(event.diagnostic.cause))
    const server = new Server({ name: "own", version: "0" })
    const fault = new Error("the password is wrong")
    bindSdkV1(adapter, server, { principal: () => Promise.reject(fault) })
    const wire = await connectWire(server)

    await expect(wire.request("tools/list")).rejects.toEqual({ code: -32603, message: "internal error" })

    expect(reported).toEqual([fault])
  })
})

interface ServeOptions {
  readonly own?: readonly string[]
  readonly capabilities?: ServerCapabilities
  readonly pageSize?: number
}

/** Binds a board to a server that may have its own tools, one on each page. */
async function serve({ own, capabilities = {}, pageSize = 1_000 }: ServeOptions = {}) {
  const board = createBoard()
  const adapter = createMcpAdapter(board.service)
  const server = createServerWith(own, capabilities)
  const binding = bindSdkV1(adapter, server, { tools: { pageSize }, results: { catchUp: false } })
  return { adapter, board, server, binding, wire: await connectWire(server) }
}

function createServerWith(own?: readonly string[], capabilities: ServerCapabilities = {}): Server {
  const info = { name: "own", version: "0" }
  if (own === undefined) return new Server(info, { capabilities })
  const server = new Server(info, { capabilities: { ...capabilities, tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const at = Number(params?.cursor ?? 0)
    return { tools: own.slice(at, at + 1).map(toTool), ...(at + 1 < own.length && { nextCursor: String(at + 1) }) }
  })
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: "text", text: `theirs: ${params.name}` }],
  }))
  return server
}

/** Binds a board to a server with its own resource. */
async function serveResources() {
  const board = createBoard()
  const subscribed: string[] = []
  const capabilities = { resources: { subscribe: true } }
  const server = new Server({ name: "own", version: "0" }, { capabilities })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: "own://a", name: "a" }] }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({ contents: [{ uri: params.uri, text: "a" }] }))
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.push(params.uri)
    return {}
  })
  bindSdkV1(createMcpAdapter(board.service), server)
  return { board, subscribed, wire: await connectWire(server) }
}

/** Binds a board for each of two principals, identified by their tokens. */
async function serveBoth() {
  const boards = { ann: createBoard(), bob: createBoard() }
  const adapter = createMcpAdapter((principal) => (principal?.id === "ann" ? boards.ann : boards.bob).service, {
    name: "board",
  })
  const server = new Server({ name: "own", version: "0" })
  bindSdkV1(adapter, server, { results: { catchUp: false }, principal: (authInfo) => ({ id: authInfo?.token ?? "" }) })
  return { boards, wire: await connectWire(server) }
}

function toTool(name: string) {
  return { name, inputSchema: { type: "object" as const } }
}

async function names(wire: Wire): Promise<string[]> {
  const { tools } = await wire.request("tools/list")
  return Array.isArray(tools) ? tools.map(({ name }: { name: string }) => name) : []
}

interface CallOptions {
  readonly args?: object
  readonly token?: string
}

async function call(wire: Wire, name: string, { args = {}, token }: CallOptions = {}): Promise<unknown> {
  const { content } = await wire.request("tools/call", { name, arguments: args }, token)
  return Array.isArray(content) ? content[0]?.text : undefined
}

/** Returns the open resources of an adapter. */
function held({ ledger }: McpAdapter): readonly string[] {
  return Object.entries(ledger.counts()).flatMap(([kind, count]) => (count === 0 ? [] : [kind]))
}
