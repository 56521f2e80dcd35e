// Part of `pnpm bench soak`: 10,000 sessions, 10,000 listen streams beside them, then 10,000 streams of those sessions, all
// held at once, notified of a change, and ended; then clients of each era that connect, call and leave, each over its own
// connection. Prints their use of the server's heap. Fails when anything is still held, or the heap grows while clients come
// and go.
import { fork } from "node:child_process"
import { Agent, request } from "node:http"
import { setImmediate } from "node:timers/promises"
import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { BehaviorSubject } from "rxjs"

const HELD = Number(process.argv[2] ?? 10_000)
const CONNECTS = Number(process.argv[3] ?? 20_000)
const AT_ONCE = 32
/** Bytes that a connection may leave. */
const TOLERANCE = 50

const WHO = "x-who"
const BASE = { "content-type": "application/json", accept: "application/json, text/event-stream" }
const MODERN = { ...BASE, "mcp-protocol-version": "2026-07-28" }
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

if (process.argv[2] === "serve") await serve()
else await soak()

async function serve() {
  const shown = new BehaviorSubject(true)
  const service = createAgenticService({
    name: "soak",
    states: { shown: state({ description: "Whether `hide` is listed", schema: { type: "boolean" }, value: shown }) },
    actions: { hide: action({ description: "Hides itself", when: shown, execute: () => shown.next(false) }) },
  })
  const adapter = createMcpAdapter(service)
  const limits = { maxSessions: 100_000, maxListens: 100_000, maxTotalListens: 100_000, sessionIdleMs: 3_600_000 }
  // No single client may hold all.
  const principal = ({ headers }) => ({ id: headers.get(WHO) ?? "nobody" })
  const server = await serveHttp(adapter, { port: 0, requestRate: false, principal, ...limits })
  const answers = {
    heap,
    held: () => Object.fromEntries(Object.entries(adapter.ledger.counts()).filter(([, count]) => count > 0)),
    toggle: () => shown.next(!shown.value),
    async close() {
      await server.close()
      adapter.close()
      return answers.held()
    },
  }
  process.on("message", async ({ id, ask }) => process.send({ id, answer: await answers[ask]() }))
  process.on("disconnect", () => process.exit(0))
  process.send({ url: server.url })
}

/** Returns the heap's size after a full collection. */
async function heap() {
  for (let pass = 0; pass < 5; pass += 1) {
    await setImmediate()
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}

async function soak() {
  const { url, ask, stop } = await startServer()
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const client = createClient(url)
  let ok = true
  const expect = (name, found, expected) => {
    if (JSON.stringify(found) === JSON.stringify(expected)) return
    ok = false
    console.error(`✗ ${name}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
  }
  // Warms up, so that compiled code is not counted.
  for (let warm = 0; warm < 200; warm += 1) {
    const session = await client.open(agent)
    await client.end(agent, session)
    await client.leave(await client.listen())
  }
  await settled(ask)

  const before = await ask("heap")
  const sessions = await many(HELD, (index) => client.open(agent, { [WHO]: `${index % 10}` }))
  const withSessions = await ask("heap")
  report("session", withSessions - before)
  const listens = await many(HELD, (index) => client.listen({ [WHO]: `${index % 10}` }))
  report("listen stream, with its socket", (await ask("heap")) - withSessions)
  const { session, stream, ...rest } = await ask("held")
  expect("held", [session, stream], [HELD, HELD])
  console.log(`beside those: ${JSON.stringify(rest)}`)
  await heardByAll(listens, ask)
  await Promise.all(listens.map(client.leave))
  await held(ask, ({ stream = 0 }) => stream === 0)
  const streams = await many(HELD, (index) => client.stream(sessions[index]))
  report("stream of a session, with its socket", (await ask("heap")) - withSessions)
  await heardByAll(streams, ask)
  await Promise.all(streams.map(client.leave))
  await many(HELD, (index) => client.end(agent, sessions[index]))
  agent.destroy()
  await settled(ask)
  report("in all, after they have closed", (await ask("heap")) - before)

  for (const era of ["legacy", "modern"]) {
    const heaps = []
    for (let quarter = 0; quarter < 4; quarter += 1) {
      await many(CONNECTS / 4, () => client.comeAndGo(era))
      await settled(ask)
      heaps.push(await ask("heap"))
    }
    const growth = (heaps[3] - heaps[1]) / (CONNECTS / 2)
    console.log(`${CONNECTS} ${era} connects: ${growth.toFixed(0)} bytes more each, at most ${TOLERANCE} may be`)
    if (growth > TOLERANCE) ok = false
  }
  expect("held at the end", await ask("close"), {})
  stop()
  if (!ok) process.exitCode = 1
}

function report(what, bytes) {
  console.log(`${HELD} × ${what}: ${(bytes / 1e6).toFixed(1)} MB, ${(bytes / HELD / 1e3).toFixed(1)} kB each`)
}

/** Repeats something, some at a time. */
async function many(count, one) {
  const results = new Array(count)
  let next = 0
  const work = async () => {
    for (let index = next; index < count; index = next) {
      next += 1
      results[index] = await one(index)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

async function heardByAll(streams, ask) {
  const heard = Promise.all(streams.map(({ heard }) => heard()))
  await ask("toggle")
  await heard
}

async function held(ask, holds) {
  // The event happens in another process, so poll.
  while (!holds(await ask("held"))) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Waits until no sessions, streams or calls are held. */
function settled(ask) {
  return held(ask, ({ session = 0, stream = 0, call = 0 }) => session + stream + call === 0)
}

async function startServer() {
  const child = fork(import.meta.filename, ["serve"], { execArgv: ["--expose-gc"] })
  const waiting = new Map()
  let count = 0
  const url = await new Promise((resolve) => {
    child.on("message", (message) => {
      if (message.url !== undefined) return resolve(message.url)
      waiting.get(message.id)?.(message.answer)
      waiting.delete(message.id)
    })
  })
  const ask = (what) =>
    new Promise((resolve) => {
      count += 1
      waiting.set(count, resolve)
      child.send({ id: count, ask: what })
    })
  return { url, ask, stop: () => child.disconnect() }
}

function createClient(url) {
  const post = (agent, { headers, ...message }) => send(url, { agent, headers, body: message })
  const modern = (method, params = {}) => ({
    headers: { ...MODERN, "mcp-method": method },
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { ...params, _meta: META },
  })
  const open = async (agent, who = {}) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "soak", version: "0" } }
    const opened = await post(agent, {
      headers: { ...BASE, ...who },
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params,
    })
    const session = { ...BASE, ...who, "mcp-session-id": opened.headers["mcp-session-id"] }
    await post(agent, { headers: session, jsonrpc: "2.0", method: "notifications/initialized" })
    return session
  }
  const end = (agent, session) => send(url, { agent, headers: session, method: "DELETE" })
  return {
    open,
    end,
    listen(who) {
      const { headers, ...body } = modern("subscriptions/listen", { notifications: { toolsListChanged: true } })
      return openStream(url, { headers: { ...headers, ...who }, body })
    },
    stream: (session) => openStream(url, { headers: session, method: "GET" }),
    leave: ({ leave }) => leave(),
    async comeAndGo(era) {
      const own = new Agent({ keepAlive: true, maxSockets: 1 })
      if (era === "modern") {
        await post(own, modern("server/discover"))
        await post(own, modern("tools/list"))
      } else {
        const session = await open(own)
        await post(own, { headers: session, jsonrpc: "2.0", id: 1, method: "tools/list" })
        await end(own, session)
      }
      own.destroy()
    },
  }
}

function send(url, { agent, headers, body, method = "POST" }) {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, method, headers }, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode < 300) resolve(response)
        else reject(new Error(`${method} was answered ${response.statusCode}`))
      })
    })
    asking.on("error", reject)
    asking.end(body && JSON.stringify(body))
  })
}

/** Opens a stream; `heard` waits for its next message. */
function openStream(url, { headers, body, method = "POST" }) {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false, method, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`a stream was answered ${response.statusCode}`))
      let waiting
      response.on("data", (bytes) => {
        if (bytes.includes("list_changed")) waiting?.()
      })
      response.on("error", () => {})
      response.once("data", () =>
        resolve({
          heard: () => new Promise((heard) => (waiting = heard)),
          leave: () =>
            new Promise((left) => {
              asking.once("close", left)
              asking.destroy()
            }),
        }),
      )
    })
    asking.on("error", (error) => reject(error))
    asking.end(body && JSON.stringify(body))
  })
}
