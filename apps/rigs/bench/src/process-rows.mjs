// Measures calls over stdio and in memory, and the start of a process.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { startServer } from "./child.mjs"
import { ours, peers } from "./contestants.mjs"
import { WARM_UP } from "./http-rows.mjs"

const src = join(ours, "..")
const CLIENT = { name: "bench", version: "1.0.0" }
const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT }
const QUIET = ["pipe", "pipe", "inherit"]
const STDIO = {
  ours: join(src, "ours-stdio.mjs"),
  sdk: join(peers, "sdk-v2-stdio.mjs"),
  tmcp: join(peers, "tmcp-stdio.mjs"),
}
const IMPORTS = { ours: join(src, "ours-import.mjs"), sdk: join(peers, "sdk-v2-import.mjs") }

/** The rows: each server's file, the unit, and `open`, which prepares a server and returns how to measure it once. */
export const processRows = {
  "stdio-call": { title: "call over stdio, 4 at once", unit: "µs of CPU", files: STDIO, open: callsAtOnce(4) },
  "stdio-call-16": { title: "call over stdio, 16 at once", unit: "µs of CPU", files: STDIO, open: callsAtOnce(16) },
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
    title: "from the start of a process to its first list over stdio",
    unit: "ms of CPU",
    files: STDIO,
    loads: true,
    open: async (file) => ({ measure: () => start(file), close() {} }),
  },
  import: {
    title: "import of everything for HTTP",
    unit: "ms of CPU",
    files: IMPORTS,
    loads: true,
    open: async (file) => ({ measure: () => importAlone(file), close() {} }),
  },
}

/** Measures one row. The servers take turns in each round. */
export async function measureProcess({ files, open }, { rounds }) {
  const names = Object.keys(files)
  const opened = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await open(files[name])])))
  const costs = Object.fromEntries(names.map((name) => [name, []]))
  // The first two rounds warm up.
  for (let round = -2; round < rounds; round += 1) {
    for (const name of names) {
      const cost = await opened[name].measure()
      if (round >= 0) costs[name].push(cost)
    }
  }
  for (const { close } of Object.values(opened)) await close()
  return costs
}

function callsAtOnce(many) {
  return async (file) => {
    const server = await startServer(file, { tools: 10 }, QUIET)
    const line = openLine(server.child)
    await line.ask({ id: 0, method: "initialize", params: INITIALIZE })
    line.tell({ method: "notifications/initialized" })
    await callOverStdio(server, line, { count: WARM_UP, many })
    return { measure: () => callOverStdio(server, line, { count: 1_500, many }), close: server.stop }
  }
}

async function callOverStdio(server, line, { count, many }) {
  const before = await server.ask("cpu")
  let left = count
  const work = async () => {
    while (left > 0) {
      left -= 1
      await line.ask({ method: "tools/call", params: { name: "echo", arguments: { text: "hello" } } })
    }
  }
  await Promise.all(Array.from({ length: many }, work))
  return ((await server.ask("cpu")) - before) / count
}

async function start(file, options = {}) {
  const server = await startServer(file, { tools: 10, log: false, ...options }, QUIET)
  const line = openLine(server.child)
  await line.ask({ id: 0, method: "initialize", params: INITIALIZE })
  line.tell({ method: "notifications/initialized" })
  await line.ask({ method: "tools/list", params: {} })
  const cost = await server.ask("cpu")
  if (options.env === undefined) await server.stop()
  else await server.end()
  return cost / 1_000
}

async function importAlone(file, options = {}) {
  const server = await startServer(file, options)
  const cost = await server.ask("cpu")
  if (options.env === undefined) await server.stop()
  else await server.end()
  return cost / 1_000
}

/** Returns how many files each process of a row loads, and how many kB of code. */
export async function measureLoads({ files, unit, loads, title }) {
  if (loads !== true) return undefined
  const begin = files === IMPORTS ? importAlone : start
  const found = {}
  for (const [name, file] of Object.entries(files)) found[name] = await loadedBy((env) => begin(file, { env }))
  return { title, unit, found }
}

/** Runs a process that reports its coverage, which names every file that it loaded. */
async function loadedBy(run) {
  const folder = mkdtempSync(join(tmpdir(), "loads-"))
  try {
    await run({ NODE_V8_COVERAGE: folder })
    const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).result)
    const urls = new Set(reports.flat().flatMap(({ url }) => (url.startsWith("file:") ? [url] : [])))
    const bytes = [...urls].map((url) => statSync(fileURLToPath(url)).size)
    return { files: urls.size, kB: Math.round(bytes.reduce((sum, size) => sum + size, 0) / 1_000) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Opens a JSON-RPC connection over the standard streams of a process. */
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
