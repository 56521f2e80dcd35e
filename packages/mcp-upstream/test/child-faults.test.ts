import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { AgenticService } from "@x/agentic-service"
import { EMPTY, filter, firstValueFrom, map, shareReplay, switchMap } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Upstream, UpstreamEvent, UpstreamOptions, UpstreamStatus } from "../src/index.js"
import { createGateway, fromMcpServer } from "../src/node.js"
import { connectTo } from "./servers.js"

const SERVER = fileURLToPath(new URL("fake-server.mjs", import.meta.url))
const QUICK: UpstreamOptions = { limits: { retryMs: 1 } }

describe("a command that dies once", () => {
  it.each(["start", "tools/list"])("at %s is restarted, and its tools are listed", async (where) => {
    const server = take({ DIES_ONCE: where, MARK: await freshPath() })
    const waiting = until(server, "waiting")
    server.actions.subscribe()

    expect(await waiting).toMatchObject({ reason: expect.stringContaining("exit code 3") })
    expect(await firstValueFrom(keysOf(server).pipe(filter((keys) => keys.length > 0)))).toContain("pid")
  })
})

describe("a line of a command that is not a message", () => {
  it("is reported, and the running call is answered", async () => {
    const server = take()
    const told = toldBy(server)
    await firstValueFrom(server.actions)

    expect(await server.execute("garbage", {})).toMatchObject({ ok: true })
    expect(told.filter(({ type }) => type === "diagnostic").length).toBeGreaterThan(3)
    expect(await server.execute("pid", {})).toMatchObject({ ok: true })
  })

  it("is told once it is too long, and held no longer", async () => {
    const server = take({}, {}, 100_000)
    const told = toldBy(server)
    await firstValueFrom(server.actions)

    expect(await server.execute("garbage", { size: 5_000_000 })).toMatchObject({ ok: true })
    expect(JSON.stringify(told)).toContain("more than 100000 bytes")
    expect(JSON.stringify(told).length).toBeLessThan(10_000)
  })
})

describe("a command's result of 20 MB", () => {
  it("is refused with its size if the limits do not allow it", async () => {
    const server = take()
    await firstValueFrom(server.actions)

    expect(await server.execute("big", { size: 20_000_000 })).toMatchObject({ ok: false, code: "too_large" })
    expect(await server.execute("pid", {})).toMatchObject({ ok: true })
  })

  it("arrives complete if the limits allow it", async () => {
    const server = take({}, { limits: { resultChars: 30_000_000 } })
    await firstValueFrom(server.actions)

    const reply = await server.execute("big", { size: 20_000_000 })

    expect(reply.ok === true && Object(reply.content?.[0])["text"]).toHaveLength(20_000_000)
  })

  it("fails as too long if its line is longer than a message may be", async () => {
    const server = take({}, {}, 1_000_000)
    await firstValueFrom(server.actions)

    const reply = await server.execute("big", { size: 20_000_000 })

    expect(reply).toMatchObject({ ok: false, message: expect.stringContaining("more than 1000000 bytes") })
    expect(await server.execute("pid", {})).toMatchObject({ ok: true })
  })
})

describe("a command that floods with notices, log messages and errors", () => {
  it("reaches no other client, and its own only a few times", async () => {
    const fake = { command: process.execPath, args: [SERVER], env: { MORE: "1" } }
    const gateway = createGateway({ mcpServers: { loud: fake, quiet: fake } })
    onTestFinished(() => gateway.close())
    const told: string[] = []
    gateway.events.subscribe(({ server, event }) => told.push(`${server} ${event.type}`))
    // Members listed before the first subscription cause no notice.
    await Promise.all(["loud", "quiet"].map((name) => whenThere(gateway.service, name)))
    const client = await connectTo(gateway.service, "legacy")
    const other = await connectTo(gateway.service, "legacy")
    await Promise.all([client.listTools(), other.listTools()])
    const heard: string[] = []
    for (const [name, each] of [
      ["caller", client],
      ["other", other],
    ] as const)
      each.fallbackNotificationHandler = async ({ method }) => void heard.push(`${name} ${method}`)

    const flooding = client.callTool({ name: "loud__flood" })
    const quiet = await Promise.all(Array.from({ length: 20 }, () => other.callTool({ name: "quiet__pid" })))
    const flooded = await flooding

    expect(flooded.isError).not.toBe(true)
    expect(quiet.every(({ isError }) => isError !== true)).toBe(true)
    expect(heard.filter((each) => each.startsWith("other"))).toEqual([])
    // Only the rate limit's share of 60,000 lines arrives.
    expect(heard.length).toBeLessThan(6_000)
    expect(told.length).toBeLessThan(6_000)
    expect((await client.callTool({ name: "loud__pid" })).isError).not.toBe(true)
  })
})

function take(env: Record<string, string> = {}, options: UpstreamOptions = QUICK, maxMessageBytes?: number): Upstream {
  const server = fromMcpServer(
    {
      command: process.execPath,
      args: [SERVER],
      env: { MORE: "1", ...env },
      ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    },
    options,
  )
  onTestFinished(() => server.close())
  return server
}

function toldBy(server: Upstream): readonly UpstreamEvent[] {
  const told: UpstreamEvent[] = []
  server.events.subscribe((event) => told.push(event))
  return told
}

/** Resolves once a link's tools are listed, and stays subscribed. */
async function whenThere({ links }: AgenticService, name: string): Promise<void> {
  const actions = links.pipe(
    switchMap(({ [name]: link }) => link?.service.actions ?? EMPTY),
    shareReplay(1),
  )
  const looking = actions.subscribe()
  onTestFinished(() => looking.unsubscribe())
  await firstValueFrom(actions.pipe(filter((found) => Object.keys(found).length > 0)))
}

function keysOf(server: Upstream) {
  return server.actions.pipe(map((actions) => Object.keys(actions)))
}

function until(server: Upstream, state: UpstreamStatus["state"]): Promise<UpstreamStatus> {
  return firstValueFrom(server.status.pipe(filter((status) => status.state === state)))
}

async function freshPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "child-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, "mark")
}
