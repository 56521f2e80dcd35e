// Measures one toggled action, from source to notice, alone and among 1,000 services. The ratio matters: a change's cost
// depends on its own service, never on the graph.
import { createMcpAdapter } from "@x/mcp-adapter"
import { Bench } from "tinybench"
import { createGraph } from "./create-graph.mjs"
import { createManualClock } from "./manual-clock.mjs"

const RUNS = 5
const LIMIT = 1.5
const ratios = []

for (let run = 1; run <= RUNS; run += 1) {
  const bench = new Bench({ time: 500, warmupTime: 200 })
  const rigs = [1, 1_000].map((services) => createRig(services))
  for (const { services, toggle } of rigs) bench.add(`${services} services`, toggle)
  await bench.run()
  const [alone, among] = bench.tasks.map((task) => task.result.latency.p50)
  ratios.push(among / alone)
  console.log(
    `run ${run}: alone ${micro(alone)} µs, among 1,000 services ${micro(among)} µs, ratio ${(among / alone).toFixed(2)}`,
  )
  for (const { close } of rigs) close()
}

const sorted = ratios.toSorted((a, b) => a - b)
const median = sorted[Math.floor(RUNS / 2)]
console.log(
  `median ratio ${median.toFixed(2)} (${sorted[0].toFixed(2)} to ${sorted.at(-1).toFixed(2)}), limit ${LIMIT}`,
)
if (median >= LIMIT) process.exitCode = 1

function createRig(services) {
  const clock = createManualClock()
  const { root, on } = createGraph(services)
  const adapter = createMcpAdapter(root, { clock, notices: { windowMs: 0 }, limits: { tools: 20_000 } })
  const { view } = adapter.core.open(undefined)
  let notices = 0
  view.notices.subscribe(() => {
    notices += 1
  })
  return {
    services,
    toggle() {
      const before = notices
      on.next(!on.value)
      clock.endTask()
      if (notices !== before + 1) throw new Error(`expected one notice, found ${notices - before}`)
    },
    close: () => adapter.close(),
  }
}

function micro(milliseconds) {
  return (milliseconds * 1_000).toFixed(1)
}
