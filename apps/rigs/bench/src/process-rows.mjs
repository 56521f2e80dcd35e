// What is no request over HTTP: a call over stdio and in memory, and what it takes to start.

import { join } from "node:path"
import { createInterface } from "node:readline"
import { startServer } from "./child.mjs"
import { ours, peers } from "./contestants.mjs"

const src = join(ours, "..")
const CLIENT = { name: "bench", version: "1.0.0" }
const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT }
const QUIET = ["pipe", "pipe", "inherit"]

/** Each row: whose files, in what unit, how it is measured once, and what is made ready for that. */
export const processRows = {
  "stdio-call": {
    title: "call over stdio",
    unit: "µs of CPU",
    files: { ours: join(src, "ours-stdio.mjs"), sdk: join(peers, "sdk-v2-stdio.mjs") },
    open: async (file) => {
      const server = await startServer(file, { tools: 10 }, QUIET)
      const line = openLine(server.child)
      await line.ask({ id: 0, method: "initialize", params: INITIALIZE })
      line.tell({ method: "notifications/initialized" })
      return { measure: () => callOverStdio(server, line, 1_500), close: server.stop }
    },
  },
  "in-memory-call": {
    title: "call in memory, both ends",
    unit: "µs of CPU",
    files: { ours: join(src, "ours-in-memory.mjs"), sdk: join(peers, "sdk-v2-in-memory.mjs") },
    open: async (file) => {
      const server = await startServer(file, { tools: 10 })
      return { measure: () => server.ask("run", 3_000), close: server.stop }
    },
  },
  "start-stdio": {
    title: "from the start of a process to the answer of `initialize` over stdio",
    unit: "ms of CPU",
    files: { ours: join(src, "ours-stdio.mjs"), sdk: join(peers, "sdk-v2-stdio.mjs") },
    open: async (file) => ({ measure: () => start(file), close() {} }),
  },
  import: {
    title: "import of everything for HTTP",
    unit: "ms of CPU",
    files: { ours: join(src, "ours-import.mjs"), sdk: join(peers, "sdk-v2-import.mjs") },
    open: async (file) => ({ measure: () => importAlone(file), close() {} }),
  },
}

/** Measures one row; in turn, round by round. */
export async function measureProcess({ files, open }, { rounds }) {
  const names = Object.keys(files)
  const opened = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await open(files[name])])))
  const costs = Object.fromEntries(names.map((name) => [name, []]))
  // The first two warm up.
  for (let round = -2; round < rounds; round += 1) {
    for (const name of names) {
      const cost = await opened[name].measure()
      if (round >= 0) costs[name].push(cost)
    }
  }
  for (const { close } of Object.values(opened)) await close()
  return costs
}

async function callOverStdio(server, line, count) {
  const before = await server.ask("cpu")
  let left = count
  const work = async () => {
    while (left > 0) {
      left -= 1
      await line.ask({ method: "tools/call", params: { name: "echo", arguments: { text: "hello" } } })
    }
  }
  await Promise.all([work(), work(), work(), work()])
  return ((await server.ask("cpu")) - before) / count
}

async function start(file) {
  const server = await startServer(file, { tools: 10, log: false }, QUIET)
  await openLine(server.child).ask({ id: 0, method: "initialize", params: INITIALIZE })
  const cost = await server.ask("cpu")
  await server.stop()
  return cost / 1_000
}

async function importAlone(file) {
  const server = await startServer(file)
  const cost = await server.ask("cpu")
  await server.stop()
  return cost / 1_000
}

/** JSON-RPC over the standard streams of a process. */
function openLine({ stdin, stdout }) {
  const waiting = new Map()
  let count = 0
  createInterface({ input: stdout }).on("line", (text) => {
    const message = JSON.parse(text)
    if (message.error) throw new Error(`it answered ${text}`)
    waiting.get(message.id)?.(message.result)
    waiting.delete(message.id)
  })
  const tell = (message) => stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  return {
    tell,
    ask(message) {
      count += 1
      const id = message.id ?? count
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        tell({ ...message, id })
      })
    },
  }
}
