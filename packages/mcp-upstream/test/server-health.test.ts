// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files have them.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  createGateway,
  createHealthListener,
  createSecretsFile,
  createSignIns,
  parseGatewayConfig,
} from "../src/node.js"
import type { Upstream } from "../src/upstream.js"
import { serveOAuth } from "./oauth-site.js"
import type { Era } from "./servers.js"
import { serveSite } from "./site.js"

const SECRET = "sk-secret-000001"

describe.each<Era>(["legacy", "modern"])("the servers of a gateway, to a client of the %s era", (era) => {
  it("are named with their states in health and in list_links, those included that the file refuses", async () => {
    const { gateway, links, probe } = await open(era)

    const states = Object.fromEntries(gateway.health().map(({ name, state }) => [name, state]))
    const listed = await links()
    const answer = await probe()

    expect(states).toEqual({
      up: "connected",
      down: "waiting",
      hung: "connecting",
      docs: "sign_in",
      key: "refused",
      typed: "refused",
      own: "refused",
    })
    expect(listed["down"]).toMatch(/^its server is not connected: /)
    expect(listed["docs"]).toMatch(/^its server is down: .* sign-in; sign in to docs$/)
    expect(listed["renamed"]).toContain(
      'its entry in the gateway\'s file is invalid: /mcpServers/key/env/K: the variable "NO" is not set',
    )
    expect(Object.keys(listed)).not.toContain("own")
    expect(answer).toEqual({
      status: "degraded",
      servers: { connected: 1, waiting: 1, connecting: 1, sign_in: 1, refused: 3 },
    })
  })

  it("have reasons without secrets, in one short line", async () => {
    const { gateway, links } = await open(era)

    const told = [JSON.stringify(gateway.health()), JSON.stringify(await links())]

    for (const text of told) expect(text).not.toContain(SECRET)
    for (const { reason = "" } of gateway.health()) expect(reason).toMatch(/^[^\n]{0,300}$/)
  })

  it("are as the next configuration has them", async () => {
    const { gateway, links, probe } = await open(era)

    gateway.apply({ mcpServers: {} })

    expect([gateway.health(), await links(), await probe()]).toEqual([[], {}, { status: "ok", servers: {} }])
  })
})

async function open(era: Era) {
  const [site, oauth] = [await serveSite(), await serveOAuth()]
  const hung = { command: process.execPath, args: ["-e", "process.stdin.resume(); setInterval(() => {}, 1000)"] }
  const mcpServers = {
    up: { url: site.url, era: "legacy" },
    down: { url: "http://127.0.0.1:9/mcp" },
    hung,
    docs: { url: oauth.url },
    key: { command: "x", as: "renamed", env: { K: "${NO}", T: "${SECRET}" } },
    typed: { url: "http://127.0.0.1:9/mcp", type: "a${SECRET}" },
    own: { url: "http://127.0.0.1:9/mcp", nonsense: 1, perCaller: { headers: { authorization: "{token}" } } },
  }
  const { config } = await parseGatewayConfig({ mcpServers }, { environment: { SECRET } })
  if (config === undefined) throw new Error("it can be served")
  const signIns = createSignIns(createSecretsFile("/nowhere/secrets"), (name) => `sign in to ${name}`)
  const gateway = createGateway(config, { signIns })
  const adapter = createMcpAdapter(gateway.service, { ...gateway.adapterOptions, limits: { readyWaitMs: 0 } })
  const { extension } = gateway
  const server = await serveHttp(adapter, { port: 0, extension, otherwise: createHealthListener(gateway) })
  const client = new Client(
    { name: "test", version: "0" },
    era === "modern" ? { versionNegotiation: { mode: "auto" } } : {},
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
    await gateway.close()
  })
  for (const [name, state] of [
    ["up", "connected"],
    ["down", "waiting"],
    ["docs", "down"],
  ] as const) {
    // It is in the configuration.
    const upstream = gateway.servers().get(name) as Upstream
    await firstValueFrom(upstream.status.pipe(filter((status) => status.state === state)))
  }
  return {
    gateway,
    async links(): Promise<Readonly<Record<string, string | undefined>>> {
      const { content } = await client.callTool({ name: "list_links" })
      const { links = [] } = JSON.parse(String(Object(content[0])["text"]))
      return Object.fromEntries(
        links.map(({ path, description }: { path: string; description?: string }) => [path, description]),
      )
    },
    probe: async () => (await fetch(new URL("/healthz/servers", server.url))).json(),
  }
}
