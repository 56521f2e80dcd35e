// `pnpm bench tasks`: compares calls of long actions with a plain call, in memory and with raw messages. Processor time in
// microseconds, interleaved in one process; the ratios are medians of rounds, with their spread.
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"

const ROUNDS = 15
const CALLS = 400

const add = action({ description: "Adds", execute: () => ({ n: 1 }) })
const job = action({ description: "Works", long: true, execute: () => ({ n: 1 }) })
const declaring = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }

const plain = await open({ add })
const long = await open({ add, job })
const rounds = []
for (let round = 0; round <= ROUNDS; round += 1) {
  // The order alternates, so that none always follows another.
  const rows = [
    ["plain", () => plain("tools/call", { name: "add" })],
    ["plain beside long", () => long("tools/call", { name: "add" })],
    ["handed over", () => long("tools/call", { name: "job" })],
    ["tasks/get", () => long("tasks/get", { taskId: long.task })],
  ]
  const { taskId } = await long("tools/call", { name: "job" })
  long.task = taskId
  const took = {}
  for (const [name, call] of round % 2 === 0 ? rows : rows.reverse()) took[name] = await time(call)
  // The first round is a warm-up.
  if (round > 0) rounds.push(took)
}
plain.close()
long.close()

for (const name of ["plain beside long", "handed over", "tasks/get"]) {
  const all = rounds.map((took) => took[name] / took.plain).sort((a, b) => a - b)
  const median = all[Math.floor(all.length / 2)]
  const spread = `${all[0].toFixed(2)} to ${all.at(-1).toFixed(2)}`
  console.log(`${name}: ${median.toFixed(2)} × a plain call (${spread})`)
}

async function open(actions) {
  const service = createAgenticService({ name: "s", actions })
  const adapter = createMcpAdapter(service, {
    tasks: { patienceMs: 0, limits: { callerTasks: 100_000, tasks: 100_000 } },
  })
  const transport = connectInMemory(adapter, { results: { catchUp: false } })
  const waiting = new Map()
  let ids = 0
  transport.onmessage = ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id) ?? {}
    waiting.delete(id)
    if (error) reject?.(new Error(error.message))
    else resolve?.(result)
  }
  await transport.start()
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": declaring,
  }
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++ids
      waiting.set(id, { resolve, reject })
      void transport.send({ jsonrpc: "2.0", id, method, params: { ...params, _meta } })
    })
  ask.close = () => {
    void transport.close()
    adapter.close()
  }
  await ask("tools/list", {})
  return ask
}

async function time(call) {
  const begin = process.cpuUsage()
  for (let index = 0; index < CALLS; index += 1) await call()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / CALLS
}
