import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Connected, connectors, type Era } from "./support/connect.js"
import { sdkClients, sdkV1Connectors } from "./support/connect-sdk-v1.js"

type Leg = readonly [name: string, era: Era, connect: () => Promise<Connected>]

const URI = "agentic://board/count"
const eras: readonly Era[] = ["legacy", "modern"]
const legs = Object.entries(connectors).flatMap(([transport, connect]) =>
  eras.map((era): Leg => [`${transport}, ${era}`, era, () => connect(era)]),
)
const sdkV1Legs = Object.entries(sdkV1Connectors).flatMap(([transport, connect]) =>
  Object.entries(sdkClients).map(([version, client]): Leg => {
    return [`${transport}, a server of SDK v1, a client of SDK ${version}`, "legacy", () => connect(client)]
  }),
)

describe.each([...legs, ...sdkV1Legs])("over %s", (_, era, connect) => {
  // All tests share one connection, because a child process starts slowly.
  let leg: Connected
  beforeAll(async () => {
    leg = await connect()
  })
  afterAll(async () => {
    await leg.close()
    expect(Object.values(leg.adapter?.ledger.counts() ?? {}).filter((count) => count > 0)).toEqual([])
    expect(leg.adapter?.ledger.listeners() ?? []).toEqual([])
  })

  it("speaks the era", () => {
    expect(leg.client.getProtocolEra()).toBe(era)
  })

  it("announces exactly what the leg delivers [tools-declared, resources-declared]", () => {
    expect(leg.client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      ...(era === "modern" && { extensions: { "io.modelcontextprotocol/tasks": {} } }),
    })
  })

  it("lists what can be called", async () => {
    const { tools } = await leg.client.listTools()

    expect(tools.map(({ name }) => name)).toContain("add")
  })

  it("calls an action", async () => {
    expect(await leg.client.callTool({ name: "add" })).toMatchObject({ structuredContent: { result: 1 } })
  })

  it("answers a failing action as data [tool-error]", async () => {
    expect(await leg.client.callTool({ name: "refuse" })).toMatchObject({ isError: true })
  })

  it("answers a name that never existed with a protocol error [tool-unknown]", async () => {
    await expect(leg.client.callTool({ name: "nothing" })).rejects.toMatchObject({ code: -32602 })
  })

  it("sends progress that only grows [progress-grows, interleaved]", async () => {
    const heard: number[] = []
    const onprogress = ({ progress }: { progress: number }) => {
      heard.push(progress)
      if (progress === 2) void leg.client.callTool({ name: "finish" })
    }

    await leg.client.callTool({ name: "work" }, { onprogress })

    expect(heard).toEqual([1, 2])
  })

  it("carries a cancellation to the action [cancel-stops]", async () => {
    const cancel = new AbortController()
    const waiting = leg.client.callTool({ name: "wait" }, { signal: cancel.signal, onprogress: () => cancel.abort() })

    await expect(waiting).rejects.toThrow()

    expect(await leg.client.callTool({ name: "join" })).not.toHaveProperty("isError")
  })

  it("reads a state", async () => {
    const { contents } = await leg.client.readResource({ uri: URI })

    expect(contents).toMatchObject([{ uri: URI, text: "1" }])
  })

  it("notifies of a change with no request in flight [list-changed]", async () => {
    const heard = hear(leg, "notifications/tools/list_changed")
    if (era === "modern") await leg.client.listen({ toolsListChanged: true })

    leg.toggle()

    await heard
    expect((await leg.client.listTools()).tools.map(({ name }) => name)).toContain("undo")
  })

  it("notifies of the new value of a subscribed state [listen-updated, legacy-subscribe]", async () => {
    const heard = hear(leg, "notifications/resources/updated")
    if (era === "modern") await leg.client.listen({ resourceSubscriptions: [URI] })
    else await leg.client.subscribeResource({ uri: URI })

    leg.count()

    expect(await heard).toMatchObject({ params: { uri: URI } })
  })

  it("reports to the operator who listens, and to what", async () => {
    // If the server is another process, its ledger is out of reach.
    if (leg.adapter === undefined) return expect(leg.client.getProtocolEra()).toBe(era)
    const { ledger } = leg.adapter
    const hearing = () => ledger.listeners().flatMap((listener) => listener.hears().uris)
    if (era === "modern") await leg.client.listen({ resourceSubscriptions: [URI] })
    else await leg.client.subscribeResource({ uri: URI })

    expect(ledger.listeners()).toContainEqual(expect.objectContaining({ leg: expect.objectContaining({ era }) }))
    expect(hearing()).toContain(URI)
  })

  it("reports changes in a result, as text and as its listed structure", async () => {
    // The client validates structured content against the listed output schema.
    const { tools } = await leg.client.listTools()
    const add = await leg.client.callTool({ name: "add" })
    await leg.client.callTool({ name: "undo" })
    const start = await leg.client.callTool({ name: "start" })
    const undo = await leg.client.callTool({ name: "undo" })

    expect(tools.find(({ name }) => name === "add")).toMatchObject({ outputSchema: { properties: { changes: {} } } })
    expect(add).toMatchObject({ structuredContent: { changes: { statesChanged: ["count"] } } })
    expect(start).toMatchObject({
      content: [{}, { text: expect.stringContaining("can be called now:\n- undo: Undo") }],
    })
    expect(undo).toMatchObject({ content: [{}, { text: expect.stringContaining("cannot be called now: undo") }] })
  })
})

function hear(leg: Connected, method: "notifications/tools/list_changed" | "notifications/resources/updated") {
  return new Promise((resolve) => {
    leg.client.setNotificationHandler(method, resolve)
  })
}
