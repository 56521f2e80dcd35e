// Measures adding, removing and replacing one linked service, from the source of items to the notice, among 100 services and
// among 2,000. Ratios of processor time within one run, with their spread over the rounds. Beside it the naive way: a service
// written by hand that emits its whole map of links.
import { action, createAgenticService, link, links } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject, map } from "rxjs"
import { createManualClock } from "./manual-clock.mjs"

const ROUNDS = 7
const WARM_UP = 10
const LIMIT = 1.5
const COUNTS = [100, 2_000]

const families = COUNTS.map((count) => createRig(count, createFamily))
const maps = COUNTS.map((count) => createRig(count, createByHand))
for (const what of ["add and remove", "replace"]) {
  report(what, { name: `${what} one among 2,000 / among 100`, rigs: families, limit: LIMIT })
  report(what, { name: `${what}, by whole maps`, rigs: maps })
}
for (const { close } of [...families, ...maps]) close()

function report(what, { name, rigs: [few, many], limit }) {
  const measure = () => [time(() => few[what](), 40), time(() => many[what](), 40)]
  // Until both are compiled alike: the first hundreds of runs cost up to twice as much.
  for (let round = 0; round < WARM_UP; round += 1) measure()
  const rounds = Array.from({ length: ROUNDS }, measure)
  const ratio = sort(rounds.map(([one, other]) => other / one))
  const [one, other] = [0, 1].map((index) => median(sort(rounds.map((round) => round[index]))).toFixed(0))
  const spread = `${ratio[0].toFixed(2)} to ${ratio.at(-1).toFixed(2)}`
  const end = limit === undefined ? "" : `, limit ${limit}`
  console.log(`${name}: ${median(ratio).toFixed(2)} (${spread}), ${one} and ${other} µs${end}`)
  if (median(ratio) > limit) process.exitCode = 1
}

function sort(numbers) {
  return numbers.toSorted((a, b) => a - b)
}

function median(sorted) {
  return sorted[Math.floor(sorted.length / 2)]
}

/** Processor time of one run, in microseconds, which other programs do not affect. */
function time(run, count) {
  const begin = process.cpuUsage()
  for (let index = 0; index < count; index += 1) run()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / count
}

function createRig(count, create) {
  const clock = createManualClock()
  const items = new BehaviorSubject(Array.from({ length: count }, (_, index) => ({ id: `c${index}` })))
  const root = createAgenticService({ name: "root", links: create(items) })
  const limits = { tools: 20_000 }
  const adapter = createMcpAdapter(root, { clock, notices: { windowMs: 0 }, limits })
  const { view } = adapter.core.open(undefined)
  while (view.snapshot().links.length <= count || view.snapshot().tools.length < 3 * count) clock.endTask()
  let notices = 0
  view.notices.subscribe(() => {
    notices += 1
  })
  let made = 0
  const emit = (next) => {
    const before = notices
    items.next(next)
    clock.endTask()
    if (notices === before) throw new Error("expected a notice, found none")
    view.snapshot()
  }
  const middle = count / 2
  const createItem = () => {
    made += 1
    return { id: `x${made}` }
  }
  return {
    "add and remove"() {
      const before = items.value
      emit(before.toSpliced(middle, 0, createItem()))
      emit(before)
    },
    replace: () => emit(items.value.toSpliced(middle, 1, createItem())),
    close: () => adapter.close(),
  }
}

function createFamily(items) {
  return { columns: links({ of: items, key: ({ id }) => id, service: createLeaf }) }
}

/** A service that keeps each item's service, and emits all links at each change. */
function createByHand(items) {
  const known = new Map()
  const toLink = ({ id }) => {
    if (!known.has(id)) known.set(id, { service: createLeaf({ id }) })
    return [id, known.get(id)]
  }
  const none = createAgenticService({ name: "columns" })
  const service = { ...none, links: items.pipe(map((all) => Object.fromEntries(all.map(toLink)))) }
  return { columns: link({ service }) }
}

function createLeaf({ id }) {
  const names = ["open", "rename", "remove"]
  const execute = () => undefined
  return createAgenticService({
    name: id,
    actions: Object.fromEntries(names.map((name) => [name, action({ description: `${name} it`, execute })])),
  })
}
