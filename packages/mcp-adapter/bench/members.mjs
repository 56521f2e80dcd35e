// Measures changes within one large service, from their source to the catalogue's delta: a toggle among 10,000 actions against
// one among 10, a condition shared by 5,000 actions against 5,000 toggles, 1,000 states changed in one task against one. Ratios
// of processor time within one run, with their spread over the rounds.
import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject } from "rxjs"
import { createManualClock } from "./manual-clock.mjs"

const ROUNDS = 7

const few = createActions(10, "own")
const many = createActions(10_000, "own")
const shared = createActions(5_000, "shared")
const alone = createActions(5_000, "own")
const states = createStates(1_000)

report(
  "a toggle among 10,000 actions / among 10",
  3,
  () => time(() => many.toggle(77), 2_000) / time(() => few.toggle(7), 2_000),
)
report("a condition shared by 5,000 / 5,000 toggles of one", 0.4, () => {
  return time(shared.toggleAll, 10) / (5_000 * time(() => alone.toggle(77), 2_000))
})
report("a state of 1,000 changed in one task / a single change", 2, () => {
  return time(() => states.change(1_000), 20) / 1_000 / time(() => states.change(1), 2_000)
})
for (const { close } of [few, many, shared, alone, states]) close()

function report(name, limit, measure) {
  measure()
  const ratios = Array.from({ length: ROUNDS }, measure).sort((a, b) => a - b)
  const median = ratios[Math.floor(ROUNDS / 2)]
  console.log(`${name}: ${median.toFixed(2)} (${ratios[0].toFixed(2)} to ${ratios.at(-1).toFixed(2)}), limit ${limit}`)
  if (median > limit) process.exitCode = 1
}

/** Processor time of one run, in microseconds, which other programs do not affect. */
function time(run, count) {
  const begin = process.cpuUsage()
  for (let index = 0; index < count; index += 1) run()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / count
}

function createRig(service) {
  const clock = createManualClock()
  const adapter = createMcpAdapter(service, { clock, limits: { tools: 20_000, states: 20_000 } })
  clock.endTask()
  return { clock, close: () => adapter.close() }
}

function createActions(count, condition) {
  const shared = new BehaviorSubject(true)
  const conditions = Array.from({ length: count }, () => (condition === "shared" ? shared : new BehaviorSubject(true)))
  const actions = Object.fromEntries(
    conditions.map((when, index) => [`a${index}`, action({ description: `Action ${index}`, when, execute() {} })]),
  )
  const { clock, close } = createRig(createAgenticService({ name: "x", actions }))
  return {
    close,
    toggle(index) {
      conditions[index].next(!conditions[index].value)
      clock.endTask()
    },
    toggleAll() {
      shared.next(!shared.value)
      clock.endTask()
    },
  }
}

function createStates(count) {
  const values = Array.from({ length: count }, () => new BehaviorSubject(0))
  const states = Object.fromEntries(
    values.map((value, index) => [`s${index}`, state({ schema: { type: "integer" }, value })]),
  )
  const { clock, close } = createRig(createAgenticService({ name: "x", states }))
  return {
    close,
    change(some) {
      for (const value of values.slice(0, some)) value.next(value.value + 1)
      clock.endTask()
    },
  }
}
