import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type ActionDeclaration, action, createAgenticService } from "@x/agentic-service"
import { NEVER } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { type HttpOptions, type RequestHead, serveHttp } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createWire, readAnswer, readMessages, serveWire } from "./support/wire.js"

const eras = ["legacy", "modern"] as const

describe.each(eras)("closing over HTTP, %s", (era) => {
  it("lets a call finish", async () => {
    const { call, finish, server } = await serveWork(era)
    const answer = await call()

    const closed = server.close()
    finish()

    expect((await readAnswer(Promise.resolve(answer))).result).toMatchObject({
      structuredContent: { result: "finished" },
    })
    await closed
  })

  it("aborts a call that takes longer than it may", async () => {
    const { call, aborted, server } = await serveWork(era, { drainMs: 1 })
    await call()

    await server.close()

    expect(await aborted).toBe("aborted")
  })

  it("refuses requests that arrive meanwhile", async () => {
    const { call, finish, server, ping } = await serveWork(era)
    await call()

    const closed = server.close()
    const late = await ping()
    finish()
    await closed

    expect(late.status).toBe(503)
  })

  it("leaves nothing behind", async () => {
    const { call, finish, server, adapter } = await serveWork(era)
    await call()

    const closed = server.close()
    finish()
    await closed
    adapter.close()

    expect(Object.values(adapter.ledger.counts()).every((count) => count === 0)).toBe(true)
  })
})

describe("closing over HTTP", () => {
  it("lets a legacy client cancel what still runs", async () => {
    const { call, aborted, server, send } = await serveWork("legacy")
    await call()

    const closed = server.close()
    const cancelled = await send({ method: "notifications/cancelled", params: { requestId: 1 } })
    await closed

    expect(cancelled.status).toBe(202)
    await aborted
  })

  it("lets a legacy client fetch a missed answer, but not listen again", async () => {
    const { call, finish, server, listen } = await serveWork("legacy")
    const reader = (await call()).body?.pipeThrough(new TextDecoderStream()).getReader()
    let begun: string | undefined
    while (begun === undefined) begun = /^id: (.*)$/m.exec((await reader?.read())?.value ?? "")?.[1]

    const closed = server.close()
    const late = await listen({})
    const again = await listen({ "last-event-id": begun })
    finish()

    expect([late.status, again.status]).toEqual([503, 200])
    expect(await readAnswer(Promise.resolve(again))).toMatchObject({
      id: 1,
      result: { structuredContent: { result: "finished" } },
    })
    await closed
  })

  it("accepts a person's answer from a legacy client", async () => {
    const clear = action({ description: "Clear", confirm: () => "Clear it?", execute: () => {} })
    const { open, server } = await serveActions({ clear })
    const { send } = await open("2025-11-25", { elicitation: {} })
    const messages = readMessages(await send({ id: 1, method: "tools/call", params: { name: "clear" } }))
    const { value: question } = await messages.next()

    const closed = server.close()
    const said = await send({ id: question?.id ?? "", result: { action: "accept", content: {} } })

    expect([question?.method, said.status]).toEqual(["elicitation/create", 202])
    expect((await messages.next()).value).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } })
    await closed
  })

  it("lets a legacy client end its session", async () => {
    const { call, aborted, server, headers, url } = await serveWork("legacy")
    await call()

    const closed = server.close()
    const ended = await fetch(url, { method: "DELETE", headers })

    expect(ended.status).toBe(200)
    await aborted
    await closed
  })

  it("rejects a cancellation by another principal that knows the session", async () => {
    const principal = (head: RequestHead) => ({ id: head.headers.get("x-who") ?? "owner" })
    const { call, finish, server, send } = await serveWork("legacy", { principal })
    const answer = await call()

    const closed = server.close()
    const cancelling = { method: "notifications/cancelled", params: { requestId: 1 } }
    const refused = await send(cancelling, { headers: { "x-who": "stranger" } })
    finish()

    expect(refused.status).toBe(404)
    expect((await readAnswer(Promise.resolve(answer))).result).toMatchObject({
      structuredContent: { result: "finished" },
    })
    await closed
  })

  it("does not wait for clients that only listen", async () => {
    const { server, modern } = await serveWork("modern")
    const listening = await modern({
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true } },
    })

    await server.close()

    expect(await listening.text()).toContain('"resultType":"complete"')
  })
})

describe("a process of its own, over HTTP", () => {
  it("answers running calls on SIGTERM, releases everything, and exits", async () => {
    const server = await start()
    const answer = await server.call("pause")
    server.child.kill("SIGTERM")

    expect((await readAnswer(Promise.resolve(answer))).result).toMatchObject({ content: [{ text: "paused" }] })
    expect(await once(server.child, "close")).toEqual([0, null])
    expect(server.errors()).toEqual(["let go"])
  })

  it("exits immediately on a second signal", async () => {
    const server = await start()
    await server.call("hang")
    server.child.kill("SIGTERM")
    // Once it is no longer ready, it has received the first signal.
    await expect.poll(async () => (await fetch(new URL("/readyz", server.url))).status).toBe(503)
    server.child.kill("SIGTERM")

    expect(await once(server.child, "close")).toEqual([1, null])
  })
})

describe("probes", () => {
  it("report that the process answers, under any host name", async () => {
    const { url } = await serveWire()

    const response = await fetch(new URL("/healthz", url), { headers: { host: "10.0.0.7" } })

    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }])
  })

  it("report when the first list is ready", async () => {
    const { url } = await serveWire()

    await expect.poll(async () => (await fetch(new URL("/readyz", url))).status).toBe(200)
  })

  it("report that the first list is not ready", async () => {
    const silent = { ...createAgenticService({ name: "silent" }), actions: NEVER }
    const adapter = createMcpAdapter(silent, { limits: { readyWaitMs: 60_000 } })
    const server = await serveHttp(adapter, { port: 0 })
    onTestFinished(() => server.close().finally(adapter.close))

    expect((await fetch(new URL("/readyz", server.url))).status).toBe(503)
  })

  it("can be left to the application", async () => {
    const { url } = await serveWire({ probes: false })

    expect((await fetch(new URL("/healthz", url))).status).toBe(404)
  })
})

/** Serves an action that ends on command, or when told to stop, and returns how to call it in one era. */
async function serveWork(era: (typeof eras)[number], options: HttpOptions = {}) {
  let finish = () => {}
  let abort = () => {}
  const finished = new Promise<string>((resolve) => {
    finish = () => resolve("finished")
  })
  const aborted = new Promise<string>((resolve) => {
    abort = () => resolve("aborted")
  })
  const work = action({
    output: { type: "string" },
    description: "Work until told",
    execute: (_, { signal, progress }) => {
      signal.addEventListener("abort", abort)
      progress({ progress: 1 })
      return Promise.race([finished, aborted])
    },
  })
  const { adapter, server, open, modern } = await serveActions({ work }, options)
  const { send, headers } = era === "legacy" ? await open() : { send: modern, headers: {} }
  const params = { name: "work", _meta: { progressToken: "w" } }
  // A progress notice opens the answer's stream, so an open stream means that the call runs.
  const call = async () => send({ id: 1, method: "tools/call", params })
  const listen = (more: Readonly<Record<string, string>>) =>
    fetch(server.url, { headers: { accept: "text/event-stream", ...headers, ...more } })
  const ping = () => send({ id: 2, method: "tools/list" })
  return { adapter, server, url: server.url, send, headers, modern, listen, aborted, finish, call, ping }
}

async function serveActions(actions: Readonly<Record<string, ActionDeclaration>>, options: HttpOptions = {}) {
  const adapter = createMcpAdapter(createAgenticService({ name: "test", actions }))
  const server = await serveHttp(adapter, { port: 0, ...options })
  onTestFinished(() => server.close().finally(adapter.close))
  return { adapter, server, ...createWire(server.url) }
}

const PATH = fileURLToPath(new URL("support/serve-slow.mjs", import.meta.url))

/** Starts a server in its own process. */
async function start() {
  const child = spawn(process.execPath, [PATH, "--http"])
  const errors: string[] = []
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line))
  const url: string = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve))
  const { modern } = createWire(url)
  const call = (name: string) =>
    modern({ id: 1, method: "tools/call", params: { name, _meta: { progressToken: "w" } } })
  return { child, url, call, errors: () => errors }
}
