import { McpServer } from "@modelcontextprotocol/server"
import { type AgenticService, createAgenticService, link } from "@x/agentic-service"
import type { EndpointOptions } from "@x/mcp-adapter"
import { createToolNamer } from "@x/mcp-adapter/binding"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import { createGateway } from "../src/node.js"
import publicTools from "./public-tools.json" with { type: "json" }
import { connectTo, inMemory } from "./servers.js"

describe.each(["legacy", "modern"] as const)("the names of a foreign server's tools, to a %s client", (era) => {
  it("keep their hyphens behind the name of their server, and can be called", async () => {
    const client = await connectTo(behindLink("my-docs", take(["get-sum", "resolve-library-id"])), era)

    expect(await namesOf(client)).toEqual(expect.arrayContaining(["my-docs__get-sum", "my-docs__resolve-library-id"]))
    expect(await client.callTool({ name: "my-docs__get-sum" })).toMatchObject({ content: [{ text: "get-sum" }] })
  })

  it("are apart where a client turns - into _, and each leads to its own tool by either name", async () => {
    const client = await connectTo(take(["get-sum", "get_sum"], { plainNames: true }), era)
    const hashed = (await namesOf(client)).find((name) => name.startsWith("get-sum"))

    expect(hashed).toMatch(/^get-sum_[0-9]/)
    for (const [name, text] of [
      ["get_sum", "get_sum"],
      ["get-sum", "get-sum"],
      [String(hashed), "get-sum"],
    ] as const)
      expect(await client.callTool({ name })).toMatchObject({ content: [{ text }] })
  })

  it.each([
    { tools: {}, expected: [/^wait_for$/, /^run_action_[0-9]/, /^find_actions$/] },
    { tools: { waitFor: true, runAction: false }, expected: [/^wait_for_[0-9]/, /^run_action$/, /^find_actions$/] },
  ])("give way to the adapter's own tools only where an endpoint has those: $tools", async ({ tools, expected }) => {
    const server = take(["wait_for", "run_action", "find_actions"], { plainNames: true })
    const client = await connectTo(server, era, { endpoint: { tools } satisfies EndpointOptions })
    const names = await namesOf(client)

    for (const name of expected) expect(names.filter((each) => name.test(each)).length).toBe(1)
  })

  it("stand on one page each, whatever they are", async () => {
    const server = take(["a", "find_actions", "wait_for", "z"], { plainNames: true })
    const client = await connectTo(server, era, { endpoint: { tools: { pageSize: 1, listLinks: false } } })
    const names: string[] = []
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const { tools, nextCursor } = await client.request({ method: "tools/list", params: cursor ? { cursor } : {} })
      names.push(...tools.map(({ name }) => name))
      cursor = nextCursor
    }

    expect(names).toEqual(["get_state", "run_action", "a", "find_actions", "wait_for", "z"])
  })
})

describe.each(["legacy", "modern"] as const)(
  "the names of public servers' tools in a gateway, to a %s client",
  (era) => {
    const all = Object.entries(publicTools).flatMap(([server, tools]) => tools.map((tool) => `${server}__${tool}`))

    it("have no hash in 97 of 100, and fit behind the prefix of a host", async () => {
      const names = (await namesOf(await openPublic(era))).filter((name) => name.includes("__"))
      const kept = names.filter((name) => all.includes(name))

      expect(names.length).toBe(all.length)
      expect(kept.length / all.length).toBeGreaterThanOrEqual(0.97)
      for (const name of names) expect(`mcp__a-gateway__${name}`.length).toBeLessThanOrEqual(64)
    })

    it("are all kept by a server without a prefix, and can be called", async () => {
      const { adapterOptions, close } = createGateway({ mcpServers: {} })
      onTestFinished(close)
      for (const tools of [...Object.values(publicTools), ["n".repeat(64)]]) {
        const client = await connectTo(take(tools, { plainNames: true }), era, { adapter: adapterOptions })

        expect(await namesOf(client)).toEqual(expect.arrayContaining(tools))
        const [first = ""] = tools
        expect(await client.callTool({ name: first })).toMatchObject({ content: [{ text: first }] })
      }
    })

    it("can be called by what they were with the former length", async () => {
      const client = await openPublic(era)
      const former = createToolNamer()
      const long = all
        .map((name) => name.split("__"))
        .filter(([server = "", tool = ""]) => former([server], tool).encoded)

      expect(long.length).toBeGreaterThan(10)
      for (const [server = "", tool = ""] of long) {
        const result = await client.callTool({ name: former([server], tool).name })
        expect(result).toMatchObject({ content: [{ text: tool }] })
      }
    })
  },
)

/** Opens a client of a gateway of the public servers, whose tools answer with their server's tool names. */
async function openPublic(era: "legacy" | "modern") {
  const { adapterOptions, close } = createGateway({ mcpServers: {} })
  onTestFinished(close)
  const servers = Object.entries(publicTools).map(([name, tools]) => [name, link({ service: take(tools) })] as const)
  const service = createAgenticService({ name: "gateway", links: Object.fromEntries(servers) })
  return connectTo(service, era, { adapter: adapterOptions })
}

async function namesOf(client: Awaited<ReturnType<typeof connectTo>>): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

function behindLink(name: string, service: AgenticService): AgenticService {
  return createAgenticService({ name: "gateway", links: { [name]: link({ service }) } })
}

/** Creates a foreign server whose tools answer with their own names. */
function take(names: readonly string[], options: { readonly plainNames?: boolean } = {}): AgenticService {
  const make = (): McpServer => {
    const server = new McpServer({ name: "names", version: "1" })
    for (const name of names)
      server.registerTool(name, { description: name }, () => ({ content: [{ type: "text", text: name }] }))
    return server
  }
  const upstream = fromMcpServer({ transport: inMemory(make) }, options)
  onTestFinished(() => upstream.close())
  return upstream
}
