import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import fc from "fast-check"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  checkGateway,
  createGateway,
  type GatewayConfig,
  type GatewayOptions,
  parseGatewayConfig,
  signCallers,
} from "../src/node.js"
import { listen } from "./http-server.js"
import { startRecorder } from "./recorder.js"
import type { Era } from "./servers.js"

const TOKENS = { ann: "token-of-ann-000001", bob: "token-of-bob-000002", cid: "token-of-cid-000003" } as const
type Who = keyof typeof TOKENS

const CALLERS = {
  ann: { token: TOKENS.ann, claims: { desk: "desk-of-ann" } },
  bob: { token: TOKENS.bob, claims: { desk: "desk-of-bob" } },
  cid: { token: TOKENS.cid },
}
const PER_CALLER = {
  callers: {
    ann: { headers: { authorization: "Bearer secret-of-ann" } },
    bob: { headers: { authorization: "Bearer secret-of-bob" } },
  },
}

async function serve(config: GatewayConfig, options: GatewayOptions & { adapter?: McpAdapterOptions } = {}) {
  const { adapter: adapterOptions, ...rest } = options
  const gateway = createGateway({ callers: CALLERS, ...config }, rest)
  const adapter = createMcpAdapter(gateway.source(), {
    ...gateway.adapterOptions,
    name: "gate",
    limits: { readyWaitMs: 5_000 },
    ...adapterOptions,
  })
  const authenticate = await signCallers(gateway)
  if (authenticate === undefined) throw new Error("there are callers")
  const server = await serveHttp(adapter, { port: 0, authenticate, extension: gateway.extension })
  onTestFinished(async () => {
    await server.close()
    adapter.close()
    await gateway.close()
  })
  const connect = async (who: Who, era: Era): Promise<Client> => {
    const client = new Client(
      { name: who, version: "0" },
      era === "modern" ? { versionNegotiation: { mode: "auto" } } : {},
    )
    const requestInit = { headers: { authorization: `Bearer ${TOKENS[who]}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }))
    onTestFinished(() => client.close())
    return client
  }
  return { gateway, connect }
}

async function namesOf(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith("site"))
}

/** Requests of callers, whose answers show the credentials used. */
const ACTS: Readonly<Record<string, (client: Client, as: string) => Promise<unknown>>> = {
  call: async (client, as) => (await client.callTool({ name: "site__whoami", arguments: { as } })).content,
  run: async (client, as) =>
    (await client.callTool({ name: "run_action", arguments: { name: "site__whoami", arguments: { as } } })).content,
  prompt: async (client, as) => (await client.getPrompt({ name: "site__letter", arguments: { as } })).messages,
  read: (client) => client.readResource({ uri: "agentic://gate/site/site%3A%2F%2Fmotto" }),
  list: (client) => client.listTools(),
}

describe.each<[Era, Era]>([
  ["legacy", "legacy"],
  ["legacy", "modern"],
  ["modern", "legacy"],
  ["modern", "modern"],
])("the credentials of callers (%s, before a server of the %s era)", (near, far) => {
  it.each([
    { whose: "without profiles", profiles: {} },
    { whose: "one with a profile", profiles: { ann: { principals: ["ann"] } } },
  ])("never appear in the requests of another caller, $whose, in any order of calls", async ({ profiles }) => {
    const { url, requests } = await startRecorder(far)
    const { connect } = await serve({ mcpServers: { site: { url, era: far, perCaller: PER_CALLER } }, profiles })
    const clients = { ann: await connect("ann", near), bob: await connect("bob", near) }
    await Promise.all(Object.values(clients).map(namesOf))
    const step = fc.tuple(fc.constantFrom("ann" as const, "bob" as const), fc.constantFrom(...Object.keys(ACTS)))

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const answers = await Promise.all(steps.map(([who, act]) => ACTS[act]?.(clients[who], who)))
        for (const [index, [who, act]] of steps.entries()) {
          const said = JSON.stringify(answers[index])
          expect(said).not.toContain(`secret-of-${who === "ann" ? "bob" : "ann"}`)
          if (["call", "run", "prompt"].includes(act)) expect(said).toContain(`secret-of-${who}`)
        }
      }),
      { numRuns: 8 },
    )

    const sessions = new Map<string, Set<unknown>>()
    for (const { authorization, session, as } of requests) {
      expect(authorization).toMatch(/^Bearer secret-of-(ann|bob)$/)
      if (as !== undefined) expect(authorization).toBe(`Bearer secret-of-${String(as)}`)
      if (session !== undefined) sessions.set(session, (sessions.get(session) ?? new Set()).add(authorization))
    }
    expect([...sessions.values()].every((found) => found.size === 1)).toBe(true)
    expect(new Set(requests.map(({ authorization }) => authorization)).size).toBe(2)
  })
})

describe.each<Era>(["legacy", "modern"])("the tokens with which callers sign in to a gateway, in the %s era", (era) => {
  it("reach no server", async () => {
    const { url, requests } = await startRecorder(era)
    const { url: own, requests: ownRequests } = await startRecorder(era)
    const mcpServers = { site: { url, era }, other: { url: own, era, perCaller: PER_CALLER } }
    const { connect } = await serve({ mcpServers })
    const ann = await connect("ann", era)

    await namesOf(ann)
    await Promise.all(Object.values(ACTS).map((act) => act(ann, "ann")))

    expect(requests.length).toBeGreaterThan(0)
    expect(requests.every(({ authorization }) => authorization === undefined)).toBe(true)
    expect(ownRequests.every(({ authorization }) => authorization === "Bearer secret-of-ann")).toBe(true)
  })
})

describe("a server with credentials of each caller", () => {
  it("is hidden from callers without credentials, known or not", async () => {
    const { url, requests } = await startRecorder("modern")
    const { gateway, connect } = await serve({ mcpServers: { site: { url, perCaller: PER_CALLER } } })
    const [ann, cid] = [await connect("ann", "modern"), await connect("cid", "modern")]

    expect(await namesOf(ann)).toEqual(["site__whoami"])
    expect(await namesOf(cid)).toEqual([])
    expect((await cid.listPrompts()).prompts).toEqual([])
    await expect(cid.callTool({ name: "site__whoami", arguments: { as: "cid" } })).rejects.toMatchObject({
      code: -32_602,
    })
    expect(gateway.serviceOf(undefined)).toBe(gateway.service)
    expect(requests.every(({ authorization }) => authorization === "Bearer secret-of-ann")).toBe(true)
  })

  it.each<Era>(["legacy", "modern"])(
    "is shown to a caller as the caller's profile says, in the %s era",
    async (era) => {
      const { url, requests } = await startRecorder("modern")
      const profiles = {
        team: { principals: ["ann"], rename: { "site/whoami": "site_me" }, deny: ["site/letter", "site/site://motto"] },
        rest: { principals: ["cid"] },
      }
      const { connect } = await serve({ mcpServers: { site: { url, perCaller: PER_CALLER } }, profiles })
      const [ann, bob, cid] = [await connect("ann", era), await connect("bob", era), await connect("cid", era)]

      expect(await namesOf(bob)).toEqual(["site__whoami"])
      expect(await namesOf(cid)).toEqual([])
      expect(await namesOf(ann)).toEqual(["site_me"])
      expect(await ann.callTool({ name: "site_me", arguments: { as: "ann" } })).toMatchObject({
        content: [{ text: "Bearer secret-of-ann" }],
      })
      expect((await bob.listPrompts()).prompts.map(({ name }) => name)).toEqual(["site__letter"])
      expect((await ann.listPrompts()).prompts).toEqual([])
      await expect(ann.getPrompt({ name: "site__letter", arguments: { as: "ann" } })).rejects.toThrow("unknown prompt")
      await expect(ann.readResource({ uri: "agentic://gate/site/site%3A%2F%2Fmotto" })).rejects.toThrow(/not found/)
      for (const { authorization, as } of requests)
        if (as !== undefined) expect(authorization).toBe(`Bearer secret-of-${String(as)}`)
    },
  )

  it.each<Era>(["legacy", "modern"])(
    "is not connected for a caller whose profile hides it, in the %s era",
    async (era) => {
      const { url, requests } = await startRecorder("modern")
      const profiles = { team: { principals: ["ann"], deny: ["site"] } }
      const { connect } = await serve({ mcpServers: { site: { url, perCaller: PER_CALLER } }, profiles })
      const ann = await connect("ann", era)

      expect(await namesOf(ann)).toEqual([])
      await expect(ann.callTool({ name: "site__whoami", arguments: { as: "ann" } })).rejects.toMatchObject({
        code: -32_602,
      })
      expect(requests).toEqual([])
    },
  )

  it("appears for a caller with a profile once the file has it, in the same session", async () => {
    const { url } = await startRecorder("modern")
    const profiles = { team: { principals: ["ann"], allow: ["site"] } }
    const { gateway, connect } = await serve({ mcpServers: {}, profiles })
    const ann = await connect("ann", "legacy")
    const before = await namesOf(ann)

    gateway.apply({ callers: CALLERS, profiles, mcpServers: { site: { url, perCaller: PER_CALLER } } })

    expect(before).toEqual([])
    await expect.poll(() => namesOf(ann)).toEqual(["site__whoami"])
    gateway.apply({ callers: CALLERS, profiles, mcpServers: {} })
    await expect.poll(() => namesOf(ann)).toEqual([])
  })

  it("takes claims of the caller into headers, and is there only for those who have them", async () => {
    const { url } = await startRecorder("modern")
    const perCaller = { headers: { authorization: "Desk {desk} of {id}" } }
    const { connect } = await serve({ mcpServers: { site: { url, perCaller } } })
    const [bob, cid] = [await connect("bob", "legacy"), await connect("cid", "legacy")]
    await namesOf(bob)

    expect(await ACTS["call"]?.(bob, "bob")).toMatchObject([{ text: "Desk desk-of-bob of bob" }])
    expect(await namesOf(cid)).toEqual([])
  })

  it.each([
    { who: "a caller", profiles: {} },
    { who: "a caller with a profile", profiles: { all: {} } },
  ])("is disconnected from $who who has left, and connected anew for one who comes back", async ({ profiles }) => {
    const { url, requests } = await startRecorder("legacy")
    const { connect } = await serve(
      { mcpServers: { site: { url, era: "legacy", perCaller: PER_CALLER } }, profiles },
      { adapter: { principals: { idleMs: 0 } } },
    )
    const ann = await connect("ann", "modern")
    const sessions = async (): Promise<number> => {
      await namesOf(ann)
      return requests.filter(({ method }) => method === "initialize").length
    }

    const before = await sessions()

    await expect.poll(sessions).toBeGreaterThan(before)
  })

  it("limits the number of connected callers, and reports the others", async () => {
    const { url } = await startRecorder("modern")
    const { gateway, connect } = await serve(
      { mcpServers: { site: { url, perCaller: PER_CALLER } } },
      { maxCallers: 1 },
    )
    const told = firstValueFrom(gateway.events.pipe(filter(({ event }) => event.type === "diagnostic")))
    const ann = await connect("ann", "legacy")
    await namesOf(ann)

    const bob = await connect("bob", "legacy")

    expect(await namesOf(bob)).toEqual([])
    expect(await told).toMatchObject({ server: "site", caller: "bob", event: { code: "too_many_callers" } })
  })

  it("follows the configuration: other credentials reach it over another connection, and a token that is gone is refused", async () => {
    const { url } = await startRecorder("modern")
    const site = { url, perCaller: PER_CALLER }
    const { gateway, connect } = await serve({ mcpServers: { site } })
    const ann = await connect("ann", "modern")
    await namesOf(ann)

    const changed = { callers: { ann: { headers: { authorization: "Bearer other-of-ann" } } } }
    const { bob: _, ...callers } = CALLERS
    expect(gateway.apply({ callers, mcpServers: { site: { url, perCaller: changed } } })).toEqual(["site"])

    await expect.poll(() => namesOf(ann)).toEqual(["site__whoami"])
    expect(await ACTS["call"]?.(ann, "ann")).toMatchObject([{ text: "Bearer other-of-ann" }])
    await expect(connect("bob", "modern")).rejects.toThrow()
  })
})

describe("checkGateway", () => {
  it("connects to a server with credentials of each caller for each of them", async () => {
    const { url, requests } = await startRecorder("modern")
    const callers = { ann: { token: TOKENS.ann }, cid: { token: TOKENS.cid } }

    const { ok, servers } = await check({ callers, mcpServers: { site: { url, perCaller: PER_CALLER } } })

    expect(ok).toBe(true)
    expect(servers).toMatchObject([
      { name: "site", caller: "ann", ok: true, tools: ["whoami"] },
      { name: "site", caller: "bob", ok: true },
    ])
    expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(
      new Set(["Bearer secret-of-ann", "Bearer secret-of-bob"]),
    )
  })

  it.each([
    { how: "rejects requests without", status: 401, ok: true, message: /answers, but cannot be asked without.*401/ },
    { how: "fails without", status: 500, ok: false, message: /500/ },
  ])("says that a server $how credentials of a caller", async ({ status, ok, message }) => {
    const url = await listen((_, response) => response.writeHead(status).end())
    const perCaller = { headers: { authorization: "Bearer {token}" } }

    const { servers } = await check({ mcpServers: { site: { url, perCaller } } })

    expect(servers).toMatchObject([{ name: "site", ok, message: expect.stringMatching(message) }])
  })
})

async function check(config: object) {
  const folder = await mkdtemp(join(tmpdir(), "gateway-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "gateway.json")
  await writeFile(file, JSON.stringify(config))
  return checkGateway(file)
}

/** Returns a reference to a variable, as files write it. */
const put = (name: string): string => `${"$"}{${name}}`

describe("the file of a gateway with callers", () => {
  const url = "http://127.0.0.1:9/mcp"

  it("names them, with variables for their tokens", async () => {
    const environment = { ANN: TOKENS.ann, DOCS: "docs-of-ann" }
    const { config, errors, refused } = await parseGatewayConfig(
      {
        callers: { ann: { token: put("ANN") } },
        mcpServers: { docs: { url, perCaller: { callers: { ann: { headers: { "X-Key": put("DOCS") } } } } } },
      },
      { environment },
    )

    expect([errors, refused]).toEqual([[], []])
    expect(config?.callers).toEqual({ ann: { token: TOKENS.ann } })
    expect(config?.mcpServers["docs"]?.perCaller?.callers?.["ann"]?.headers).toEqual({ "X-Key": "docs-of-ann" })
  })

  it.each([
    ["a token without a value", { ann: { token: put("NONE") } }, /NONE/],
    ["a token that is too short", { ann: { token: "short" } }, /token/],
    ["one token of two", { ann: { token: TOKENS.ann }, bob: { token: TOKENS.ann } }, /two callers have the same token/],
    ["a key that is not known", { ann: { token: TOKENS.ann, admin: true } }, /admin/],
  ])("serves nothing with %s", async (_, callers, expected) => {
    const { config, errors } = await parseGatewayConfig({ callers, mcpServers: {} }, { environment: {} })

    expect(config).toBeUndefined()
    expect(errors.join()).toMatch(expected)
  })

  it.each([
    ["no credentials", { url, perCaller: {} }],
    ["headers for a command", { command: "x", perCaller: { headers: { a: "{id}" } } }],
    ["an environment for a URL", { url, perCaller: { callers: { ann: { env: { A: "b" } } } } }],
    ["no prefix", { url, prefix: false, perCaller: PER_CALLER }],
    ["tools that are remembered", { url, onChange: "hold", perCaller: PER_CALLER }],
    ["one sign-in for all", { url, oauth: {}, perCaller: PER_CALLER }],
  ])("refuses a server with credentials of each caller and %s", async (_, server) => {
    const { refused } = await parseGatewayConfig({ mcpServers: { docs: server } }, { environment: {} })

    expect(refused.map(({ name }) => name)).toEqual(["docs"])
  })
})
