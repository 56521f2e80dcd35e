import { spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Upstream, UpstreamEvent, UpstreamOptions, UpstreamStatus } from "../src/index.js"
import { fromMcpServer } from "../src/node.js"

const SERVER = fileURLToPath(new URL("fake-server.mjs", import.meta.url))
const GONE = { connections: 0, children: 0, timers: 0, calls: 0 }

describe("a command", () => {
  it("is started on first use, and ends with close", async () => {
    const server = start({}, { limits: { heartbeatMs: 0 } })
    expect(server.holdings()).toEqual(GONE)

    const actions = await firstValueFrom(server.actions)
    const pid = await pidOf(server)
    await server.close()

    expect(Object.keys(actions)).toContain("pid")
    expect(server.holdings()).toEqual(GONE)
    expect(isAlive(pid)).toBe(false)
  })

  it("is ended with all that it started, also where it ignores that its input ended", async () => {
    const server = start({ STUBBORN: "1", GRANDCHILD: "1" })
    const grandchild = Number((await told(server, /^grandchild \d+/)).split(" ")[1])
    const pid = await pidOf(server)

    await server.close()

    expect([isAlive(pid), isAlive(grandchild)]).toEqual([false, false])
  })

  it("is over at its end, though a process that it let go of holds its output", async () => {
    const server = start({ ESCAPED: "1" }, { limits: { retryMs: 60_000 } })
    const grandchild = Number((await told(server, /^grandchild \d+/)).split(" ")[1])
    onTestFinished(() => void process.kill(grandchild, "SIGKILL"))

    process.kill(await pidOf(server), "SIGKILL")

    expect(await until(server, "waiting")).toMatchObject({ reason: expect.stringContaining("SIGKILL") })
    expect(server.holdings()).toMatchObject({ connections: 0, children: 0 })
  })

  it("is ended when we are killed", async () => {
    const alive = createServer().listen(0, "127.0.0.1")
    onTestFinished(() => void alive.close())
    await once(alive, "listening")
    const { port } = alive.address() as AddressInfo // it listens on a port
    const args = [fileURLToPath(new URL("host.mjs", import.meta.url)), SERVER, String(port)]
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    const [[socket], [line]] = await Promise.all([once(alive, "connection"), once(host.stdout, "data")])
    const pid = Number(String(line))
    expect(isAlive(pid)).toBe(true)

    host.kill("SIGKILL")

    // The connection ends only with the process that holds it.
    await once(socket.resume(), "close")
  })

  it("is started again when it is killed, and its tools never go", async () => {
    const server = start({}, { limits: { retryMs: 1, graceMs: 60_000 } })
    const maps: number[] = []
    const subscription = server.actions.subscribe((map) => maps.push(Object.keys(map).length))
    const pid = await pidOf(server)

    process.kill(pid, "SIGKILL")
    await until(server, "waiting")
    await until(server, "connected")

    expect(await pidOf(server)).not.toBe(pid)
    expect(maps).toHaveLength(1)
    subscription.unsubscribe()
  })

  it("that stays away takes its tools away, with the reason", async () => {
    const server = start({}, { limits: { retryMs: 60_000, graceMs: 0 } })
    const pid = await pidOf(server)

    process.kill(pid, "SIGKILL")
    await firstValueFrom(server.actions.pipe(filter((map) => Object.keys(map).length === 0)))
    const reply = await server.execute("pid", {})

    expect(reply).toMatchObject({ ok: false, code: "not_available" })
    expect(JSON.stringify(reply)).toContain("SIGKILL")
    expect(server.declared.actions["pid"]?.unavailable()).toContain("not connected")
  })

  it("that dies in a call fails that call, and says that it may have run", async () => {
    const server = start({}, { limits: { retryMs: 60_000 } })
    await firstValueFrom(server.actions)

    const reply = await server.execute("die", {})

    expect(reply).toMatchObject({
      ok: false,
      code: "not_available",
      recovery: expect.stringContaining("may have run"),
    })
  })

  it("that crashes repeatedly stays down, with a remedy, until reconnect", async () => {
    const server = start({ CRASH: "1" }, { limits: { retryMs: 1, retryMaxMs: 1 } })
    server.actions.subscribe()

    const status = await until(server, "down")

    expect(status).toMatchObject({
      reason: expect.stringContaining("exit code 7"),
      remedy: expect.stringContaining("by hand"),
    })
    expect(server.holdings()).toEqual(GONE)
  })

  it("that does not answer unknown requests is treated as a legacy server", async () => {
    const server = start({ SILENT: "1" }, { limits: { connectMs: 1_000 } })

    await firstValueFrom(server.actions)

    expect(await until(server, "connected")).toMatchObject({ era: "legacy" })
  })

  it("that does not exist says so", async () => {
    const server = fromMcpServer({ command: "no-such-program" }, { limits: { retryMs: 60_000 } })
    onTestFinished(() => server.close())
    server.actions.subscribe()

    expect(await until(server, "waiting")).toMatchObject({
      reason: expect.stringContaining('no program "no-such-program"'),
    })
  })

  it("tells what it writes to its standard error, without secrets", async () => {
    const server = start({ TOKEN: "abc-secret-123" })

    expect(await told(server, /token/)).toBe("my token is •••")
  })
})

function start(env: Record<string, string> = {}, options: UpstreamOptions = {}): Upstream {
  const server = fromMcpServer({ command: process.execPath, args: [SERVER], env }, options)
  onTestFinished(() => server.close())
  return server
}

async function pidOf(server: Upstream): Promise<number> {
  await firstValueFrom(server.actions)
  const reply = await server.execute("pid", {})
  return reply.ok === true ? Number(Object(reply.content?.[0])["text"]) : Number.NaN
}

function until(server: Upstream, state: UpstreamStatus["state"]): Promise<UpstreamStatus> {
  return firstValueFrom(server.status.pipe(filter((status) => status.state === state)))
}

async function told(server: Upstream, line: RegExp): Promise<string> {
  const events = server.events.pipe(
    filter(
      (event): event is Extract<UpstreamEvent, { type: "stderr" }> => event.type === "stderr" && line.test(event.line),
    ),
  )
  const first = firstValueFrom(events)
  server.actions.subscribe()
  return (await first).line
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
