// Compares the adapter's call path with the service's own: `adapter.call` against `service.execute`, for an immediate action.
// Processor time in microseconds, interleaved in one process, medians with their spread.
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"

const ROUNDS = 9
const CALLS = 3_000

const add = action({
  description: "Adds",
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
  execute: ({ n }) => ({ n: n + 1 }),
})
const service = createAgenticService({ name: "s", actions: { add } })
const adapter = createMcpAdapter(service)
// A subscription keeps the service's live map, in which its own path looks up actions.
const following = service.actions.subscribe()
await adapter.list()

const rounds = []
for (let round = 0; round <= ROUNDS; round += 1) {
  const execute = await time(() => service.execute("add", { n: 1 }))
  const call = await time(() => adapter.call("add", { n: 1 }))
  // The first round is a warm-up.
  if (round > 0) rounds.push({ execute, call, more: call - execute })
}
following.unsubscribe()
adapter.close()

for (const name of ["execute", "call", "more"]) {
  const all = rounds.map((round) => round[name]).sort((a, b) => a - b)
  const [median, least, most] = [all[Math.floor(all.length / 2)], all[0], all.at(-1)]
  console.log(`${name}: ${median.toFixed(1)} µs (${least.toFixed(1)} to ${most.toFixed(1)})`)
}

async function time(call) {
  const begin = process.cpuUsage()
  for (let index = 0; index < CALLS; index += 1) await call()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / CALLS
}
