// Measures the cost of a change with many listeners, the delay of its notice, and the heap of idle clients.
import { startServer } from "./child.mjs"
import { contestants } from "./contestants.mjs"
import { modernRequest, openSession, openSocket } from "./http-client.mjs"

const LISTEN = { method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } }
/** Milliseconds between two changes, longer than the minimum time between two notices. */
const REST = 80

/** The rows, each measured with servers of its own. */
export const streamRows = {
  "fan-out": { title: "a change told to 1,000 listeners", unit: "µs of CPU", measure: measureFanOut },
  latency: { title: "from a change to its notice", unit: "ms", measure: measureLatency },
}

/** Opens `count` listen streams and counts the notices on all of them. */
async function openListeners(url, count) {
  let told = 0
  let heard = () => {}
  const sockets = []
  for (let index = 0; index < count; index += 1) {
    const line = await openSocket(url)
    const acknowledged = new Promise((resolve) => {
      line.socket.on("data", (bytes) => {
        const text = bytes.toString()
        if (text.includes("acknowledged")) resolve()
        told += text.split("tools/list_changed").length - 1
        heard()
      })
    })
    line.socket.write(line.prepare(modernRequest({ ...LISTEN, id: index + 1 })).bytes)
    await acknowledged
    sockets.push(line)
  }
  return {
    /** Resolves once `times` notices per listener have arrived since it last resolved. */
    all: (times = 1) =>
      new Promise((resolve) => {
        heard = () => {
          if (told < count * times) return
          told = 0
          heard = () => {}
          resolve()
        }
        heard()
      }),
    close() {
      for (const { close } of sockets) close()
    },
  }
}

async function withListeners(name, count, use) {
  const server = await startServer(contestants[name].file, { tools: 10 })
  const listeners = await openListeners(server.url, count)
  const result = await use(server, listeners)
  listeners.close()
  await server.stop()
  return result
}

function measureFanOut(name, { rounds }) {
  return withListeners(name, 1_000, async (server, listeners) => {
    const costs = []
    for (let round = -3; round < rounds; round += 1) {
      const before = await server.ask("cpu")
      await Promise.all([listeners.all(), server.ask("toggle")])
      const cost = (await server.ask("cpu")) - before
      if (round >= 0) costs.push(cost)
      await rest()
    }
    return costs
  })
}

function measureLatency(name, { rounds }) {
  return withListeners(name, 1, async (server, listeners) => {
    const times = []
    for (let round = -5; round < 4 * rounds; round += 1) {
      const begin = performance.now()
      await Promise.all([listeners.all(), server.ask("toggle")])
      if (round >= 0) times.push(performance.now() - begin)
      await rest()
    }
    return times
  })
}

function rest() {
  return new Promise((resolve) => setTimeout(resolve, REST))
}

/** The rows about memory: heap for each idle client, in kB. */
export const heapRows = {
  "heap-session": {
    title: "an idle session",
    unit: "kB of heap",
    of: ["ours sessions", "sdk sessions"],
    open: openIdle,
  },
  "heap-get": {
    title: "a session with its stream",
    unit: "kB of heap",
    of: ["ours sessions", "sdk sessions"],
    open: openGet,
  },
  "heap-listen": { title: "a listen stream", unit: "kB of heap", of: ["ours modern", "sdk modern"], open: openListen },
  "heap-node": { title: "an open answer of Node", unit: "kB of heap", of: ["node"], open: openAnswer },
}

const HELD = 400

export async function measureHeap({ of, open }) {
  const costs = {}
  for (const name of of) {
    const server = await startServer(contestants[name].file, { tools: 10 })
    // The first clients allocate what all clients share.
    const held = await openMany(open, server.url, 50)
    const before = await server.ask("heap")
    held.push(...(await openMany(open, server.url, HELD)))
    costs[name] = [((await server.ask("heap")) - before) / HELD / 1_000]
    for (const close of held) close()
    await server.stop()
  }
  return costs
}

async function openMany(open, url, count) {
  const held = []
  for (let index = 0; index < count; index += 1) held.push(await open(url))
  return held
}

async function openIdle(url) {
  await openSession(url)
  return () => {}
}

async function openGet(url) {
  const { id } = await openSession(url)
  const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25", accept: "text/event-stream" }
  return openStream(url, { verb: "GET", headers })
}

function openListen(url) {
  return openStream(url, modernRequest(LISTEN))
}

function openAnswer(url) {
  return openStream(url, { verb: "GET", headers: {} })
}

async function openStream(url, request) {
  const line = await openSocket(url)
  const begun = new Promise((resolve) => line.socket.once("data", resolve))
  line.socket.write(line.prepare(request).bytes)
  await begun
  return line.close
}
