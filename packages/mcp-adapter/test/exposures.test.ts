import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type AgenticService, action, createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { afterEach, describe, expect, it } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import type { EndpointOptions } from "../src/endpoint-options.js"
import { recommendExposure } from "../src/known-clients/known-clients.js"
import { hostClock } from "../src/runtime/host.js"
import { bindSdkV1 } from "../src/sdk-v1/bind-sdk-v1.js"
import { createHttpTransport, type Era } from "./support/connect.js"
import { connectHost, type Habit, type Host, want } from "./support/hosts.js"
import { createTransportPair } from "./support/transport-pair.js"

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Creates a cellar whose steps appear one after another, among 50 tools that sort first. */
function createCellar(): AgenticService {
  const at = new BehaviorSubject(0)
  const step = (index: number, description: string) => {
    const when = new BehaviorSubject(index === 0)
    at.subscribe((now) => when.next(now === index))
    return action({
      description,
      when: { is: when, otherwise: "it is not its turn" },
      execute() {
        at.next(index + 1)
        return index + 1
      },
    })
  }
  const others = Array.from({ length: 50 }, (_, index) => {
    const look = action({ description: `Look at barrel ${index}`, readOnly: true, execute: () => 0 })
    return [`barrel${index}`, look] as const
  })
  return createAgenticService({
    name: "cellar",
    actions: {
      ...Object.fromEntries(others),
      go_down: step(0, "Go down the stairs"),
      take_key: step(1, "Take the key from the hook"),
      unlock_chest: step(2, "Unlock the old chest"),
    },
  })
}

/** Runs the same script with every host: wanted steps, with words to search for. */
async function play(host: Host): Promise<string[]> {
  return [
    await want(host, "go_down", "go down the stairs"),
    await want(host, "take_key", "take the key"),
    await want(host, "unlock_chest", "unlock the chest"),
  ]
}

async function connect(habit: Habit, options: EndpointOptions & { era?: Era; name?: string } = {}): Promise<Host> {
  const { era = "legacy", name = "host", ...endpoint } = options
  const adapter = createMcpAdapter(createCellar())
  const host = await connectHost(connectInMemory(adapter, endpoint), habit, { era, name })
  closing.push(adapter.close, host.close)
  return host
}

/** The steps' results. */
const done = ['{"result":1}', '{"result":2}', '{"result":3}']

describe.each<Era>(["legacy", "modern"])("a flow whose steps appear one after another, %s", (era) => {
  it.each([
    ["keeps the first list", "stable"],
    ["lists again when told", "dynamic"],
    ["takes 40 tools, and no resources", "meta"],
  ] as const)("ends well with a host that %s, in %s", async (habit, exposure) => {
    const host = await connect(habit, { era, exposure })

    expect(await play(host)).toEqual(done)
    // Exposures with a constant list send no notice of it.
    expect(host.told() > 0).toBe(exposure === "dynamic")
  })

  it.each([
    ["keeps the first list", "dynamic"],
    ["takes 40 tools, and no resources", "stable"],
  ] as const)("does not with a host that %s, in %s", async (habit, exposure) => {
    const host = await connect(habit, { era, exposure })

    expect(await play(host)).not.toEqual(done)
  })
})

describe("exposureFor: recommendExposure", () => {
  it.each([
    ["codex-mcp-client", "keeps the first list"],
    ["opencode", "lists again when told"],
    ["cursor-vscode", "takes 40 tools, and no resources"],
  ] as const)("lets a flow end well with %s, which %s", async (name, habit) => {
    const host = await connect(habit, { name, exposureFor: recommendExposure })

    expect(await play(host)).toEqual(done)
  })

  it("uses the endpoint's exposure for unknown clients, and ignores a modern client's declared name", async () => {
    const names = async (era: Era, name: string) => {
      const host = await connect("keeps the first list", { era, name, exposureFor: recommendExposure })
      return (await host.offer()).map((tool) => tool.name)
    }

    expect(await names("legacy", "somebody")).not.toContain("unlock_chest")
    expect(await names("legacy", "codex-mcp-client")).toContain("unlock_chest")
    expect(await names("modern", "codex-mcp-client")).not.toContain("unlock_chest")
  })

  it("works per session over HTTP, and not without sessions", async () => {
    const adapter = createMcpAdapter(createCellar())
    const names = async (legacy: "sessions" | "stateless", name: string) => {
      const server = await serveHttp(adapter, { port: 0, legacy, exposureFor: recommendExposure })
      const { transport } = createHttpTransport(server.url)
      const host = await connectHost(transport, "keeps the first list", { era: "legacy", name })
      closing.push(() => server.close(), host.close)
      return (await host.offer()).map((tool) => tool.name)
    }

    closing.push(adapter.close)
    expect(await names("sessions", "codex-mcp-client")).toContain("unlock_chest")
    expect(await names("sessions", "opencode")).not.toContain("unlock_chest")
    expect(await names("stateless", "codex-mcp-client")).not.toContain("unlock_chest")
  })

  it.each([
    () => {
      throw new Error("no idea")
    },
    // Untyped code may do so.
    () => "all" as "meta",
  ])("shows what the endpoint has where the choice fails, and tells the operator", async (exposureFor) => {
    const adapter = createMcpAdapter(createCellar())
    const told: string[] = []
    adapter.events.subscribe((event) => {
      if (event.type === "diagnostic") told.push(event.diagnostic.code)
    })
    const transport = connectInMemory(adapter, { exposureFor })
    const host = await connectHost(transport, "keeps the first list", { era: "legacy" })
    closing.push(adapter.close, host.close)

    expect((await host.offer()).map((tool) => tool.name)).not.toContain("unlock_chest")
    expect(told).toEqual(["exposure_unknown"])
  })
})

describe("the exposures on other bindings", () => {
  it.each([
    ["keeps the first list", "stable"],
    ["takes 40 tools, and no resources", "meta"],
  ] as const)("let a host that %s end well on a server of SDK v1, in %s", async (habit, exposure) => {
    const adapter = createMcpAdapter(createCellar())
    const server = new Server({ name: "cellar", version: "0" }, { capabilities: {} })
    bindSdkV1(adapter, server, { exposure })
    const [mine, other] = createTransportPair(hostClock)
    // Both SDKs have the same transports; their types differ in optional properties.
    await server.connect(other as Transport)
    const host = await connectHost(mine, habit, { era: "legacy" })
    closing.push(adapter.close, host.close)

    expect(await play(host)).toEqual(done)
  })

  it.each(["stable", "meta"] as const)("know a service that is an endpoint of its own, in %s", async (exposure) => {
    const house = createAgenticService({ name: "house", links: { cellar: link({ service: createCellar() }) } })
    const adapter = createMcpAdapter(house)
    const server = await serveHttp(adapter, { port: 0, links: "endpoints", exposure })
    const { transport } = createHttpTransport(`${server.url}/links/cellar`)
    const host = await connectHost(transport, "keeps the first list", { era: "modern" })
    closing.push(adapter.close, () => server.close(), host.close)

    expect(await play(host)).toEqual(done)
  })

  it("are rejected with an unknown name", () => {
    const adapter = createMcpAdapter(createCellar())
    closing.push(adapter.close)

    // Untyped code may do so.
    expect(() => connectInMemory(adapter, { exposure: "all" as "meta" })).toThrow(
      'option "exposure" is "all": expected one of "dynamic", "stable", "meta", "grouped"',
    )
  })
})
