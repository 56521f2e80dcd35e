import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { introduce } from "./support/wire.js"

const PATH = fileURLToPath(new URL("support/serve-slow.mjs", import.meta.url))

const initialize = { id: 0, method: "initialize", params: introduce("2025-11-25") }
const hang = { id: 1, method: "tools/call", params: { name: "hang", _meta: { progressToken: 1 } } }
const toLine = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
const toLines = (messages: readonly object[]) => messages.map(toLine).join("")

describe("a process of its own, over stdio", () => {
  it("answers running calls when its input ends immediately, and exits", async () => {
    const server = start()
    server.call(1, "pause")
    server.child.stdin.end()

    expect(await once(server.child, "close")).toEqual([0, null])
    expect(server.answers()).toMatchObject([{ id: 0 }, { id: 1, result: { content: [{ text: "paused" }] } }])
  })

  it("releases the application's resources before it exits", async () => {
    const server = start()
    server.child.stdin.end()

    expect(await once(server.child, "close")).toEqual([0, null])
    expect(server.errors()).toEqual(["let go"])
  })

  it("keeps an action's output off the protocol, and reports it once", async () => {
    const server = start()
    server.call(1, "chat")
    server.child.stdin.end()
    await once(server.child, "close")

    expect(server.answers().map(({ id }) => id)).toEqual([0, 1])
    expect(server.errors()).toContain("a word")
    expect(server.errors()).toContain("another")
    expect(server.errors().filter((line) => line.startsWith("diagnostic"))).toEqual(["diagnostic stray_output"])
  })

  it("answers running calls on SIGTERM, refuses later ones, and exits", async () => {
    const server = start()
    server.call(1, "pause")
    server.call(2, "hang")
    await server.hears("progress")
    server.child.kill("SIGTERM")
    await server.hears('"id":1')
    server.call(3, "chat")
    await server.hears('"id":3')
    server.cancel(2)

    expect(await once(server.child, "close")).toEqual([0, null])
    expect(server.answers()).toMatchObject([{ id: 0 }, { id: 1, result: {} }, { id: 3, error: { code: -32000 } }])
  })

  it.each(["SIGINT", "SIGHUP"] as const)("answers what runs on %s, as on SIGTERM, and exits", async (signal) => {
    const server = start()
    server.call(1, "pause")
    server.call(2, "hang")
    await server.hears("progress")
    server.child.kill(signal)
    await server.hears('"id":1')
    server.cancel(2)

    expect(await once(server.child, "close")).toEqual([0, null])
    expect(server.answers()).toMatchObject([{ id: 0 }, { id: 1, result: {} }])
  })

  it("exits immediately on a second signal", async () => {
    const server = start()
    server.call(1, "hang")
    await server.hears("progress")
    server.child.kill("SIGTERM")
    // Once it refuses calls, it has received the first signal.
    for (let id = 2; !server.answers().some(({ error }) => error !== undefined); id += 1) {
      server.call(id, "chat")
      await server.hears(`"id":${id}`)
    }
    server.child.kill("SIGTERM")

    expect(await once(server.child, "close")).toEqual([1, null])
  })

  it("continues when nobody reads its log", async () => {
    const server = start()
    await server.hears('"id":0')
    server.child.stderr.destroy()
    await once(server.child.stderr, "close")
    server.call(1, "chat")
    server.call(2, "chat")
    await server.hears('"id":1')
    await server.hears('"id":2')
    server.child.stdin.end()

    expect(await once(server.child, "exit")).toEqual([0, null])
  })

  it("exits when nobody reads its output", async () => {
    const server = start()
    server.call(1, "hang")
    await server.hears("progress")
    server.child.stdout.destroy()
    server.call(2, "chat")

    expect(await once(server.child, "exit")).toEqual([0, null])
  })

  it.each([
    ["nothing runs", []],
    ["a call runs", [hang]],
    ["somebody else holds its input open", [], "inherit"],
  ])("ends within two seconds of its parent, which is killed while %s", async (_, calls, stdin = "pipe") => {
    const parent = spawn(process.execPath, ["-e", PARENT, PATH, toLines([initialize, ...calls]), stdin])
    const ended = once(parent.stderr.resume(), "close")
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]()
    if (stdin === "inherit") parent.stdin.write(toLines([initialize]))
    await lines.next()

    parent.kill("SIGKILL")

    // Only the server writes to it as well: it is closed when both are gone.
    const late = once(AbortSignal.timeout(2_000), "abort").then(() => "late")
    expect(await Promise.race([ended, late])).not.toBe("late")
  })
})

/** Starts a server and reports when it has received the last message. */
const PARENT = `
  const [path, messages, stdin] = process.argv.slice(1)
  const child = require("node:child_process").spawn(process.execPath, [path], { stdio: [stdin, "pipe", "inherit"] })
  child.stdin?.write(messages)
  const last = messages.includes("hang") ? "progress" : "result"
  child.stdout.on("data", (data) => String(data).includes(last) && console.log("heard"))
`

/** Starts an initialized server. */
function start() {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [PATH])
  const lines: string[] = []
  const errors: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line))
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line)
    for (const look of [...waiting]) look()
  })
  const hears = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!lines.some((line) => line.includes(text))) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  const send = (message: object) => child.stdin.write(toLine(message))
  send(initialize)
  return {
    child,
    hears,
    call: (id: number, name: string) => send({ ...hang, id, params: { name, _meta: { progressToken: id } } }),
    cancel: (id: number) => send({ method: "notifications/cancelled", params: { requestId: id } }),
    answers: () => lines.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined),
    errors: () => [...errors],
  }
}
