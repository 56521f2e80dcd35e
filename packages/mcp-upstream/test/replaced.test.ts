import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { thingOf } from "@x/agentic-service/adapter"
import { filter, firstValueFrom, skip } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer, type Upstream } from "../src/index.js"
import { createScripted, tool } from "./scripted.js"
import type { Era } from "./servers.js"
import { startWitness } from "./witness.js"

const OTHERS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["calls itself something else", { AGAIN_NAME: "impostor" }],
  ["defines a tool otherwise", { AGAIN_ABOUT: "pay somebody else" }],
]

describe.each<Era>(["legacy", "modern"])("a command of the %s era that ends and is started again", (era) => {
  it.each(OTHERS)("is another server if it %s: calls meant for the former one do not run", async (_, env) => {
    const { server, all } = await startWitness({ way: "stdio", era, env: { MARK: await freshPath(), ...env } }, QUICK)
    const thing = thingOf(server)
    const former = (await firstValueFrom(server.actions))["pay"]
    const replaced = firstValueFrom(server.occupancy.changes)

    await restart(server)
    await replaced

    expect(thingOf(server)).not.toBe(thing)
    expect(await server.execute("pay", { who: "ann" }, contextOf(thing))).toMatchObject({ ok: false, code: "changed" })
    expect(await former?.execute({ who: "ann" }, contextOf(undefined))).toMatchObject({ ok: false, code: "changed" })
    expect(all.filter((entry) => entry["ran"] === "pay")).toEqual([])
    expect(await server.execute("pay", { who: "ann" }, contextOf(thingOf(server)))).toMatchObject({ ok: true })
  })

  it("is the same thing where it calls itself the same and has the same definitions", async () => {
    const { server } = await startWitness({ way: "stdio", era, env: { MARK: await freshPath() } }, QUICK)
    const thing = thingOf(server)
    const former = (await firstValueFrom(server.actions))["pay"]

    await restart(server)

    expect(await server.execute("pay", { who: "ann" }, contextOf(thing))).toMatchObject({ ok: true })
    expect(await former?.execute({ who: "ann" }, contextOf(thing))).toMatchObject({ ok: true })
    expect(thingOf(server)).toBe(thing)
  })

  it("does not run a waiting call on the server that takes its place", async () => {
    const env = { MARK: await freshPath(), AGAIN_NAME: "impostor" }
    const { server, all } = await startWitness({ way: "stdio", era, env }, QUICK)
    const thing = thingOf(server)

    const lost = firstValueFrom(server.status.pipe(filter(({ state }) => state === "waiting")))
    void server.execute("die", {}, contextOf(thing))
    await lost
    const waiting = server.execute("pay", { who: "ann" }, contextOf(thing))

    expect(await waiting).toMatchObject({ ok: false, code: "changed" })
    expect(all.filter((entry) => entry["ran"] === "pay")).toEqual([])
  })
})

describe("a connection that is lost while a list is read", () => {
  it("comes back as the same thing where the server is the same", async () => {
    let reads = 0
    const script = createScripted({
      "tools/list": () => {
        reads += 1
        return reads === 2 ? undefined : { tools: [tool("pay")] }
      },
      "tools/call": () => ({ content: [{ type: "text", text: "paid" }] }),
    })
    const server = fromMcpServer({ transport: script.transport }, { connect: "eager", ...QUICK })
    onTestFinished(() => server.close())
    await firstValueFrom(server.actions)
    const thing = thingOf(server)
    const connected = firstValueFrom(
      server.status.pipe(
        filter(({ state }) => state === "connected"),
        skip(1),
      ),
    )

    script.notify("notifications/tools/list_changed")
    await script.until("tools/list", 2)
    // The list has to be reread after that.
    script.notify("notifications/tools/list_changed")
    await new Promise((resolve) => setImmediate(resolve))
    script.drop()
    await connected

    expect(await server.execute("pay", {}, contextOf(thing))).toMatchObject({ ok: true })
    expect(thingOf(server)).toBe(thing)
  })
})

describe("a question of the modern era whose server is replaced", () => {
  it("gives its answer to no other server", async () => {
    const env = { MARK: await freshPath(), AGAIN_NAME: "impostor" }
    const { server, all } = await startWitness({ way: "stdio", era: "modern", env }, QUICK)
    const context = contextOf(thingOf(server))

    const asked = await server.execute("ask", { who: "ann" }, context)
    await restart(server)
    await firstValueFrom(server.actions.pipe(filter(({ ask }) => ask !== undefined)))
    const reply = asked.ok === "ask" ? await asked.resume({ pin: { pin: "1234" } }, context) : asked

    expect(reply).toMatchObject({ ok: false, code: "changed" })
    expect(JSON.stringify(all)).not.toContain("1234")
  })
})

const QUICK = { limits: { retryMs: 1, graceMs: 5_000 } }

function contextOf(thing: string | undefined) {
  const rest = { signal: new AbortController().signal, progress: () => {}, answers: {} }
  return thing === undefined ? rest : { ...rest, thing }
}

/** Ends the process. Resolves once its successor is connected. */
async function restart(server: Upstream): Promise<void> {
  const connected = firstValueFrom(
    server.status.pipe(
      filter(({ state }) => state === "connected"),
      skip(1),
    ),
  )
  await server.execute("die", {}, contextOf(undefined))
  await connected
}

async function freshPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "witness-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, "mark")
}
