import { describe, expect, it } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import type { CallContext } from "../src/calls/call-context.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import type { EndpointOptions } from "../src/endpoint-options.js"
import { createBoard } from "./support/board.mjs"
import type { Era } from "./support/connect.js"
import { createLine } from "./support/line.js"
import { introduce } from "./support/wire.js"

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

describe("basic/index over one pipe (2026-07-28)", () => {
  it("answers no notification, known or not [notification-unanswered]", async () => {
    const { line, close } = connect()

    line.send({ method: "notifications/nothing" })
    line.send({ method: "notifications/cancelled", params: { requestId: 99 } })
    await line.ask({ id: 1, method: "tools/list" })

    expect(line.all().map(({ id }) => id)).toEqual([1])
    await close()
  })

  it("remembers no declaration of an earlier request [no-memory]", async () => {
    const seen: CallContext["clientCapabilities"][] = []
    const { line, close } = connect({ extension: spyOn(({ clientCapabilities }) => seen.push(clientCapabilities)) })
    const declared = { elicitation: { form: {} } }

    await line.ask({ id: 1, method: "tools/list", params: { _meta: { [CAPABILITIES]: declared } } })
    await line.ask({ id: 2, method: "tools/list" })

    expect(seen).toEqual([declared, {}])
    await close()
  })

  it("has no way to ask the client for anything by itself [no-server-requests]", async () => {
    const asks: boolean[] = []
    const { line, close } = connect({ extension: spyOn(({ peer }) => asks.push(peer?.request !== undefined)) })

    await line.ask({ id: 1, method: "tools/list" })

    expect(asks).toEqual([false])
    await close()
  })

  it("rejects a request with incomplete metadata [meta-required]", async () => {
    const { line, close } = connect()

    const { error } = await line.ask({ id: 1, method: "tools/list", params: { _meta: { [CAPABILITIES]: undefined } } })

    expect(error).toMatchObject({ code: -32602 })
    await close()
  })

  it("rejects an unsupported version, and names the supported ones [version-unsupported]", async () => {
    const { line, close } = connect()
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }

    expect((await line.ask({ id: 1, method: "tools/list", params: { _meta } })).error).toMatchObject({
      code: -32022,
      data: { supported: ["2026-07-28"], requested: "2099-01-01" },
    })
    await close()
  })

  it("does not know methods of older revisions [removed-method]", async () => {
    const { line, close } = connect()

    for (const method of ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]) {
      expect((await line.ask({ id: method, method })).error).toMatchObject({ code: -32601 })
    }
    await close()
  })
})

describe("basic/lifecycle over one pipe (2025-11-25)", () => {
  it("serves a client that probes for the modern era first, then chooses this one [stdio-fallback]", async () => {
    const { line, transport, close } = connect()
    await line.ask({ id: 1, method: "server/discover" })
    const legacy = createLine(transport, "legacy")

    const { result } = await legacy.ask({ id: 2, method: "initialize", params: introduce("2025-11-25") })

    expect(result).toMatchObject({ protocolVersion: "2025-11-25" })
    await close()
  })

  it("accepts the requested version, or else offers its latest [initialize-echo, initialize-offer]", async () => {
    for (const [asked, spoken] of [
      ["2025-06-18", "2025-06-18"],
      ["1999-01-01", "2025-11-25"],
    ] as const) {
      const { line, close } = connect({}, "legacy")

      expect((await line.ask({ id: 0, method: "initialize", params: introduce(asked) })).result).toMatchObject({
        protocolVersion: spoken,
      })
      await close()
    }
  })

  it("answers a ping with an empty object [ping]", async () => {
    const { line, close } = connect({}, "legacy")
    await line.ask({ id: 0, method: "initialize", params: introduce("2025-11-25") })

    expect((await line.ask({ id: 1, method: "ping" })).result).toEqual({})
    await close()
  })
})

describe.each(["legacy", "modern"] as const)("basic/patterns over one pipe, %s", (era) => {
  it("sends nothing more for a call that is cancelled, which stops [cancel-silent, cancel-stops]", async () => {
    const { line, close } = connect({}, era)
    if (era === "legacy") await line.ask({ id: 0, method: "initialize", params: introduce("2025-11-25") })
    line.send({ method: "notifications/initialized" })
    line.send({ id: 7, method: "tools/call", params: { name: "wait", _meta: { progressToken: "w" } } })
    await line.hears("notifications/progress")

    line.send({ method: "notifications/cancelled", params: { requestId: 7 } })
    await line.ask({ id: 8, method: "tools/call", params: { name: "join" } })
    await line.ask({ id: 9, method: "tools/list" })

    expect(line.all().some(({ id }) => id === 7)).toBe(false)
    await close()
  })

  it("refuses a request of an unreadable related task, and serves one of a readable task", async () => {
    const { line, close } = connect({}, era)
    if (era === "legacy") await line.ask({ id: 0, method: "initialize", params: introduce("2025-11-25") })
    const ask = (id: number, method: string, task: unknown) =>
      line.ask({ id, method, params: { more: 1, _meta: { "io.modelcontextprotocol/related-task": task } } })

    expect(await ask(1, "tools/list", { id: 1 })).toMatchObject({
      error: {
        code: -32600,
        message:
          '"params._meta.io.modelcontextprotocol/related-task" is an object: expected an object with "taskId", a string',
      },
    })
    expect(await ask(2, "tools/list", null)).toHaveProperty("result.tools")
    expect(await ask(3, "tools/list", { taskId: "t" })).toHaveProperty("result.tools")
    await close()
  })

  it("ignores the cancellation of unknown and answered requests [cancel-unknown, cancel-race]", async () => {
    const { line, close } = connect({}, era)
    if (era === "legacy") await line.ask({ id: 0, method: "initialize", params: introduce("2025-11-25") })
    await line.ask({ id: 1, method: "tools/call", params: { name: "add" } })

    line.send({ method: "notifications/cancelled", params: { requestId: 1 } })
    line.send({ method: "notifications/cancelled", params: { requestId: "nothing" } })
    line.send({ method: "notifications/cancelled" })

    expect((await line.ask({ id: 2, method: "tools/list" })).result).toHaveProperty("tools")
    await close()
  })

  it("sends growing progress only on request and while the call runs [progress-token, progress-grows, progress-stops]", async () => {
    const { line, close } = connect({}, era)
    if (era === "legacy") await line.ask({ id: 0, method: "initialize", params: introduce("2025-11-25") })
    const asking = line.ask({ id: 1, method: "tools/call", params: { name: "work", _meta: { progressToken: 5 } } })
    await line.hears("notifications/progress")
    await line.ask({ id: 2, method: "tools/call", params: { name: "finish" } })
    await asking
    const before = line.heard().length

    await line.ask({ id: 3, method: "tools/call", params: { name: "work" } })

    const told = line.all().filter(({ method }) => method === "notifications/progress")
    expect(told.map(({ params }) => [params?.["progressToken"], params?.["progress"]])).toEqual([
      [5, 1],
      [5, 2],
    ])
    expect(line.heard()).toHaveLength(before)
    await close()
  })
})

/** Shows the context of every tools/list request. */
function spyOn(look: (context: CallContext) => void): NonNullable<EndpointOptions["extension"]> {
  return {
    methods: {
      "tools/list": (own) => (params, context) => {
        look(context)
        return own(params, context)
      },
    },
  }
}

function connect(options: EndpointOptions = {}, era: Era = "modern") {
  const adapter = createMcpAdapter(createBoard().service)
  const transport = connectInMemory(adapter, options)
  const close = async () => {
    await transport.close()
    adapter.close()
  }
  return { transport, line: createLine(transport, era), close }
}
