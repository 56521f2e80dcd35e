import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { Principal } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGateway, type GatewayProfile, parseGatewayConfig } from "../src/node.js"
import { serveLab } from "./lab-site.js"
import type { Era } from "./servers.js"

type Way = "http" | "in-memory"
const ways = (["http", "in-memory"] as const).flatMap((way) =>
  (["legacy", "modern"] as const).map((era) => ({ way, era })),
)

describe.each(ways)("a gateway's profiles, over $way, to a client of the $era era", ({ way, era }) => {
  it("show two clients at once what each of them may see, in every list", async () => {
    const { connect } = await open(way, { reader: { clients: ["read*"], allow: ["lab/add", "lab/lab://motto"] } })
    const [reader, other] = [await connect("reader", era), await connect("other", era)]

    const [tools, all, again] = [await toolsOf(reader), await toolsOf(other), await toolsOf(reader)]

    expect(tools).toEqual(["lab__add"])
    expect(all).toEqual(expect.arrayContaining(["lab__add", "lab__break", "lab__link", "lab__read_page", "off__add"]))
    expect(again).toEqual(tools)
    expect((await reader.listResources()).resources.map(({ name }) => name)).toEqual(["motto"])
    expect((await other.listResources()).resources).toHaveLength(2)
    expect((await reader.listPrompts()).prompts).toEqual([])
    expect((await other.listPrompts()).prompts.map(({ name }) => name)).toEqual(["lab__greet", "off__greet"])
    expect(await templatesOf(reader)).not.toContain("lab://hidden/{id}")
    expect(await templatesOf(other)).toContain("lab://hidden/{id}")
  })

  it("prevent calling, running, reading, completing and getting hidden members", async () => {
    const { connect } = await open(way, {
      reader: { clients: ["reader"], deny: ["lab/break", "lab/lab://*", "lab/greet", "off"] },
    })
    const client = await connect("reader", era)
    const run = await client
      .callTool({ name: "run_action", arguments: { name: "lab__break", arguments: {} } })
      .catch(String)

    expect(JSON.stringify(run)).not.toContain("broken glass")
    await expect(client.callTool({ name: "lab__break" })).rejects.toMatchObject({ code: -32_602 })
    await expect(client.callTool({ name: "off__add", arguments: { a: 1, b: 1 } })).rejects.toMatchObject({
      code: -32_602,
    })
    for (const uri of ["lab://motto", "agentic://gateway/lab/lab%3A%2F%2Fmotto", "lab://hidden/7"])
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/)
    await expect(client.getPrompt({ name: "lab__greet", arguments: { whom: "you" } })).rejects.toThrow("unknown prompt")
    const ref = { type: "ref/prompt", name: "lab__greet" } as const
    await expect(client.complete({ ref, argument: { name: "whom", value: "a" } })).rejects.toThrow("unknown prompt")
    const page = await client.callTool({ name: "lab__read_page", arguments: { id: "7" } }).catch(String)
    expect(JSON.stringify(page)).not.toContain("page 7")
    expect(JSON.stringify(await client.callTool({ name: "list_links" }))).not.toContain("off")
  })

  it("find only shown members by search", async () => {
    const { connect } = await open(way, { reader: { clients: ["reader"], exposure: "meta", allow: ["lab/add"] } })
    const client = await connect("reader", era)

    const found = await client.callTool({ name: "find_actions", arguments: {} })

    expect(JSON.stringify(found)).toContain("lab__add")
    expect(JSON.stringify(found)).not.toMatch(/lab__break|off__/)
  })

  it("call servers and tools what they say", async () => {
    const { connect } = await open(way, {
      named: { clients: ["named"], prefix: { lab: false, off: "away" }, rename: { "lab/add": "sum" } },
    })
    const client = await connect("named", era)

    expect(await toolsOf(client)).toEqual(expect.arrayContaining(["sum", "break", "away__add"]))
    expect(await client.callTool({ name: "sum", arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    })
  })

  it("change with the file, within the same session", async () => {
    const { connect, apply } = await open(way, {})
    const client = await connect("reader", era)
    const before = await toolsOf(client)

    apply({ reader: { clients: ["reader"], allow: ["lab/add"] } })
    const during = await toolsOf(client)
    await expect(client.callTool({ name: "lab__break" })).rejects.toMatchObject({ code: -32_602 })
    apply({})

    expect(before).toContain("lab__break")
    expect(during).toEqual(["lab__add"])
    expect(await toolsOf(client)).toEqual(before)
  })
})

describe.each<Era>(["legacy", "modern"])("a gateway's profiles, for principals, to a client of the %s era", (era) => {
  it("are chosen by the signed-in principal, and the first match counts", async () => {
    const { connect } = await open("in-memory", {
      ann: { principals: ["ann"], clients: ["desk"], allow: ["lab/add"] },
      team: { principals: ["a*"], allow: ["lab/break"] },
      rest: { allow: ["lab/link"] },
    })

    expect(await toolsOf(await connect("desk", era, { id: "ann" }))).toEqual(["lab__add"])
    expect(await toolsOf(await connect("other", era, { id: "ann" }))).toEqual(["lab__break"])
    expect(await toolsOf(await connect("desk", era))).toEqual(["lab__link"])
  })
})

describe("parseGatewayConfig", () => {
  const servers = { mcpServers: { lab: { command: "x" } } }

  it.each([
    [{ a: { alow: ["lab"] } }, '/profiles/a/alow: is not a known key: did you mean "allow"?'],
    [{ a: { secret: 1 } }, "/profiles/a/secret: is not a known key: expected clients, principals"],
    [{ a: { deny: "lab" } }, "/profiles/a/deny"],
    [{ a: { exposure: "all" } }, "/profiles/a/exposure"],
    [{ a: { rename: { "lab/x": "a b" } } }, "/profiles/a/rename/lab~1x"],
  ])("refuses a file with the profiles %j", async (profiles, message) => {
    const read = await parseGatewayConfig({ ...servers, profiles })

    expect(read.config).toBeUndefined()
    expect(read.errors.join()).toContain(message)
  })

  it("warns of an unknown server, and of a profile that is never reached", async () => {
    const profiles = { a: { deny: ["lap/rm"] }, b: { clients: ["x"], rename: { "lab/x": "y" } } }

    const { config, refused, warnings } = await parseGatewayConfig({ ...servers, profiles })

    expect(config?.profiles).toEqual(profiles)
    expect(refused).toEqual([])
    expect(warnings).toEqual([
      '/profiles/b: is never used, because "a" above it applies to every caller',
      '/profiles/a/deny: "lap/rm" matches no server in this file',
    ])
  })
})

async function toolsOf(client: Client): Promise<string[]> {
  const own = ["get_state", "run_action", "list_links", "find_actions"]
  return (await client.listTools()).tools.map(({ name }) => name).filter((name) => !own.includes(name))
}

async function templatesOf(client: Client): Promise<string[]> {
  return (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)
}

async function open(way: Way, profiles: Readonly<Record<string, GatewayProfile>>) {
  const [lab, off] = [await serveLab(), await serveLab()]
  const mcpServers = { lab: { url: lab }, off: { url: off } }
  const gateway = createGateway({ mcpServers, profiles })
  const adapter = createMcpAdapter(gateway.service, { ...gateway.adapterOptions, limits: { readyWaitMs: 5_000 } })
  const { extension } = gateway
  const http = way === "http" ? await serveHttp(adapter, { port: 0, extension }) : undefined
  onTestFinished(async () => {
    await http?.close()
    adapter.close()
    await gateway.close()
  })
  for (const server of gateway.servers().values())
    await firstValueFrom(server.actions.pipe(filter((actions) => "read_page" in actions)))
  return {
    apply: (next: Readonly<Record<string, GatewayProfile>>) => gateway.apply({ mcpServers, profiles: next }),
    async connect(name: string, era: Era, principal?: Principal): Promise<Client> {
      const client = new Client(
        { name, version: "0" },
        era === "modern" ? { versionNegotiation: { mode: "auto" } } : {},
      )
      const transport =
        http === undefined
          ? connectInMemory(adapter, { extension, ...(principal && { principal }) })
          : new StreamableHTTPClientTransport(new URL(http.url))
      await client.connect(transport)
      onTestFinished(() => client.close())
      return client
    },
  }
}
