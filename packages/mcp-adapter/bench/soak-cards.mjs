// Part of `pnpm bench soak`: opens and closes a service of 300 cards repeatedly, each card a service with a state and two
// actions, first without a listener of the adapter's events, then with one that keeps none. Prints the heap at intervals and
// fails when it grows in the second half.
import { setImmediate } from "node:timers/promises"
import { action, createAgenticService, link, links, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject } from "rxjs"

const ROUNDS = Number(process.argv[2] ?? 1_000)
const CARDS = 300
const INTERVALS = 10
/** Bytes that a round may leave, of about a megabyte per board. */
const TOLERANCE = 1_000

for (const listens of [false, true]) {
  const board$ = new BehaviorSubject(null)
  const app = createAgenticService({
    name: "app",
    links: { open: link({ description: "The open board", service: board$ }) },
  })
  const adapter = createMcpAdapter(app)
  let heard = 0
  const listening = listens ? adapter.events.subscribe(() => (heard += 1)) : undefined
  const heaps = []
  for (let round = 0; round < ROUNDS; round += 1) {
    board$.next(createBoard(round))
    const { tools } = await adapter.list()
    if (tools.length < CARDS) throw new Error(`${tools.length} tools listed, expected two for each of ${CARDS} cards`)
    board$.next(null)
    await setImmediate()
    if ((round + 1) % Math.ceil(ROUNDS / INTERVALS) > 0) continue
    heaps.push(await heap())
    console.log(`${round + 1} boards, ${listens ? "heard" : "unheard"}: ${(heaps.at(-1) / 1e6).toFixed(1)} MB`)
  }
  const growth = (heaps.at(-1) - heaps[Math.floor(heaps.length / 2) - 1]) / (ROUNDS / 2)
  console.log(`${growth.toFixed(0)} bytes more per board, at most ${TOLERANCE} may be; ${heard} events heard`)
  if (growth > TOLERANCE || (listens && heard < ROUNDS)) process.exitCode = 1
  listening?.unsubscribe()
  adapter.close()
}

function createBoard(round) {
  const cards = new BehaviorSubject(Array.from({ length: CARDS }, (_, index) => ({ id: `b${round}-${index}` })))
  return createAgenticService({
    name: `board${round}`,
    links: { cards: links({ description: "One for each card", of: cards, key: ({ id }) => id, service: createCard }) },
  })
}

function createCard({ id }) {
  const done$ = new BehaviorSubject(false)
  return createAgenticService({
    name: id,
    states: { done: state({ description: `Whether ${id} is done`, schema: { type: "boolean" }, value: done$ }) },
    actions: {
      finish: action({ description: `Finish ${id}`, execute: () => done$.next(true) }),
    },
  })
}

/** Returns the heap's size after a full collection. */
async function heap() {
  for (let pass = 0; pass < 5; pass += 1) {
    await setImmediate()
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}
