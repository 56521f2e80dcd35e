// Measures 1,000 principals of one service of 1,000 tools: heap and first list of each, and a toggle told to all. Beside it the
// naive way: an adapter for each principal, and so a catalogue for each; and principals with a service each, without what the
// services themselves hold. Processor time, which other programs do not affect.
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createEndpoint } from "@x/mcp-adapter/binding"
import { BehaviorSubject } from "rxjs"

const TOOLS = 1_000
const TOGGLES = 7
const LIMITS = { kB: 60, listMs: 1, toggleMs: 20 }
/** Of a service each: 60 % of the 4,320 kB before equal definitions were shared. */
const EACH_LIMITS = { kB: 2_600 }
const EACH = 20

await measure("principals of one service", { count: 1_000, limits: LIMITS, serve: (service) => serveAll(service) })
await measure("an adapter each", { count: 10, serve: (service) => (id) => serveAll(service)(id) })
await measure("principals with a service each", { count: EACH, limits: EACH_LIMITS, serve: serveEach })

async function measure(name, { count, serve, limits }) {
  const isOn = new BehaviorSubject(true)
  const open = serve(createService(isOn), isOn)
  const connections = [await connect(open, 0)]
  const heap = readHeap()
  const list = startTime()
  for (let index = 1; index < count; index += 1) connections.push(await connect(open, index))
  const [listMs, kB] = [list() / (count - 1), (readHeap() - heap) / (count - 1) / 1_000]
  const toggles = []
  for (let round = 0; round < TOGGLES; round += 1) {
    // Longer than the window between two notices.
    await new Promise((resolve) => setTimeout(resolve, 100))
    const before = connections.map(({ notices }) => notices())
    const toggle = startTime()
    isOn.next(!isOn.value)
    while (connections.some(({ notices }, index) => notices() === before[index])) await new Promise(setImmediate)
    toggles.push(toggle())
  }
  const toggleMs = toggles.toSorted((a, b) => a - b)[Math.floor(TOGGLES / 2)]
  report(name, { count, found: { kB, listMs, toggleMs }, limits })
}

function report(name, { count, found, limits }) {
  const words = { kB: "kB of heap each", listMs: "ms for a first list", toggleMs: "ms for a toggle told to all" }
  const parts = Object.entries(found).map(([key, value]) => {
    const limit = limits?.[key] === undefined ? "" : `, limit ${limits[key]}`
    if (value > limits?.[key]) process.exitCode = 1
    return `${value.toFixed(2)} ${words[key]}${limit}`
  })
  console.log(`${count} ${name}: ${parts.join("; ")}`)
}

/** Serves one service to everybody through a function of the principal. */
function serveAll(service) {
  const adapter = createMcpAdapter(() => service, { limits: { readyWaitMs: 60_000 } })
  const endpoint = createEndpoint(adapter)
  return (id) => endpoint.open({ id })
}

/** Serves each principal a service of its own, all of the same definitions. */
function serveEach(_service, isOn) {
  const services = new Map(Array.from({ length: EACH }, (_, index) => [`principal ${index}`, createService(isOn)]))
  const adapter = createMcpAdapter(({ id }) => services.get(id), { limits: { readyWaitMs: 60_000 } })
  const endpoint = createEndpoint(adapter)
  return (id) => endpoint.open({ id })
}

async function connect(open, index) {
  const connection = open(`principal ${index}`)
  let count = 0
  connection.notices().subscribe(() => {
    count += 1
  })
  const leg = { transport: "bench", era: "modern", notices: true }
  const context = { client: `client ${index}`, leg, signal: new AbortController().signal, clientCapabilities: {} }
  const { tools } = await connection.handlers["tools/list"]({}, context)
  if (tools.length < TOOLS - 1) throw new Error(`expected at least ${TOOLS - 1} tools, found ${tools.length}`)
  return { connection, notices: () => count }
}

function createService(isOn) {
  const create = (index) =>
    action({
      description: `Does thing ${index} for the board`,
      input: {
        type: "object",
        properties: { text: { type: "string", description: `Text ${index}` }, count: { type: "integer", minimum: 0 } },
        required: ["text"],
      },
      ...(index === 7 && { when: isOn }),
      execute: () => undefined,
    })
  const actions = Object.fromEntries(Array.from({ length: TOOLS }, (_, index) => [`action_${index}`, create(index)]))
  return createAgenticService({ name: "board", actions })
}

/** Starts to measure processor time. Returns a function that gives the milliseconds since then. */
function startTime() {
  const begin = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(begin)
    return (user + system) / 1_000
  }
}

function readHeap() {
  for (let round = 0; round < 3; round += 1) globalThis.gc()
  return process.memoryUsage().heapUsed
}
