// What a hop costs: a client's call through it beside its direct call of the server and its call of a service of ours, at most a
// quarter more than both; a list of a hundred servers beside one of ours. Everything is in this process, the clients too.
import { Client } from "@modelcontextprotocol/client"
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { fromMcpServer } from "@x/mcp-upstream"
import { BehaviorSubject, NEVER, of } from "rxjs"

const CALLS = 1_000
const ROUNDS = 9

const echo = action({
  description: "Echoes its input",
  input: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text }) => ({ text }),
})
const own = createAgenticService({ name: "own", actions: { echo } })
const options = { results: { catchUp: false } }
const near = createMcpAdapter(own)
const hop = fromMcpServer(
  { transport: async () => connectInMemory(near, options) },
  { era: "modern", plainNames: true },
)
const far = createMcpAdapter(hop, { limits: { readyWaitMs: 10_000 } })
await far.list()

const ours = createMcpAdapter(createAgenticService({ name: "ours", actions: { echo } }))
const direct = await connect(near)
const beside = await connect(ours)
const through = await connect(far)
const times = { direct: [], ours: [], through: [] }
for (let round = 0; round < ROUNDS; round += 1) {
  times.direct.push(await measure(() => direct.callTool({ name: "echo", arguments: { text: "hi" } })))
  times.ours.push(await measure(() => beside.callTool({ name: "echo", arguments: { text: "hi" } })))
  times.through.push(await measure(() => through.callTool({ name: "echo", arguments: { text: "hi" } })))
}
const [one, same, two] = [median(times.direct), median(times.ours), median(times.through)]
// The rounds of one machine differ less from each other's neighbours than from each other.
const ratios = times.through.map((time, round) => time / (times.direct[round] + times.ours[round]))
const ratio = median(ratios)
const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
console.log(`call, µs: direct ${one}, ours ${same}, through one hop ${two}`)
console.log(`hop: ${ratio.toFixed(2)} × both, ${spread} in ${ROUNDS} rounds`)
await Promise.all([direct.close(), beside.close(), through.close()])
far.close()
ours.close()
await hop.close()
near.close()

const published = await time(async () => {
  const adapter = createMcpAdapter(createOwn(5_000), { limits: { readyWaitMs: 60_000 } })
  await untilListed(adapter, 5_000)
  adapter.close()
})
const links = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [`s${index}`, { service: slowServer(50, 200) }]),
)
const listed = await time(async () => {
  const adapter = createMcpAdapter(createRoot(links), { limits: { readyWaitMs: 60_000 } })
  await untilListed(adapter, 5_000)
  adapter.close()
})
const held = Object.values(links).map(({ service }) => service.holdings())
const timers = held.reduce((sum, { timers }) => sum + timers, 0)
console.log(`list of 5,000 tools, ms: of our own ${published}, of 100 servers that answer after 200 ms ${listed}`)
console.log(`idle, timers of 100 servers: ${timers}, one heartbeat each`)
await Promise.all(Object.values(links).map(({ service }) => service.close()))
if (ratio > 1.25 || listed > published + 200 || timers > held.length) process.exitCode = 1

async function connect(adapter) {
  const client = new Client({ name: "bench", version: "0" }, { versionNegotiation: { mode: "auto" } })
  await client.connect(connectInMemory(adapter, options))
  await client.listTools()
  return client
}

async function measure(call) {
  for (let turn = 0; turn < 20; turn += 1) await call()
  const began = process.cpuUsage()
  for (let turn = 0; turn < CALLS; turn += 1) await call()
  const { user, system } = process.cpuUsage(began)
  return Math.round((user + system) / CALLS)
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

async function time(run) {
  const began = performance.now()
  await run()
  return Math.round(performance.now() - began)
}

async function untilListed(adapter, count) {
  for (;;) {
    const { tools } = await adapter.list()
    if (tools.length >= count) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function definition(name) {
  const properties = { path: { type: "string", description: `Where ${name} is` }, deep: { type: "boolean" } }
  return { description: `Does ${name}`, inputSchema: { type: "object", properties, required: ["path"] } }
}

function createOwn(count) {
  const actions = Array.from({ length: count }, (_, index) => {
    const { description, inputSchema } = definition(`t${index}`)
    return [`t${index}`, action({ description, input: inputSchema, execute: () => ({}) })]
  })
  return createAgenticService({ name: "many", actions: Object.fromEntries(actions) })
}

function createRoot(links) {
  const nothing = { states: {}, actions: {}, links: {} }
  const maps = { states: of({}), actions: of({}), links: new BehaviorSubject(links), failures: NEVER }
  return { name: "root", ...maps, declared: nothing, execute: async () => ({ ok: false, message: "none" }), close() {} }
}

/** A server that takes its time for its list, and for nothing else. */
function slowServer(count, delay) {
  const tools = Array.from({ length: count }, (_, index) => ({ name: `t${index}`, ...definition(`t${index}`) }))
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "slow", version: "1" },
    }),
    "tools/list": async () => {
      await new Promise((resolve) => setTimeout(resolve, delay))
      return { tools }
    },
  }
  const transport = async () => {
    const end = {
      start: async () => {},
      close: async () => end.onclose?.(),
      async send({ id, method, params }) {
        const answer = answers[method]
        if (id === undefined) return
        if (answer === undefined) end.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } })
        else
          void Promise.resolve(answer(params ?? {})).then((result) => end.onmessage?.({ jsonrpc: "2.0", id, result }))
      },
    }
    return end
  }
  return fromMcpServer({ transport }, { era: "legacy" })
}
