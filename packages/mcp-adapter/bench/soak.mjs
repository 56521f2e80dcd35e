// `pnpm bench soak [rounds]`: clients of both eras connect, call, and leave during a call, over HTTP and in memory, half of
// those with a session without a goodbye. Prints the heap at intervals and open resources at the end. Fails when anything is
// still held, or the heap grows in the second half.
import { setImmediate } from "node:timers/promises"
import { createRounds } from "../test/support/rounds.mjs"

const ROUNDS = Number(process.argv[2] ?? 10_000)
const INTERVALS = 10
/** Bytes that a round may leave: V8 keeps some code of each, and a leaked session is far larger. */
const TOLERANCE = 2_000

const NOTHING = "nothing held"

const rounds = await createRounds()
const heaps = []
const started = performance.now()
for (let index = 0; index < ROUNDS; index += 1) {
  await rounds.play(index)
  if ((index + 1) % Math.ceil(ROUNDS / INTERVALS) > 0) continue
  heaps.push(await heap())
  const seconds = ((performance.now() - started) / 1_000).toFixed(0)
  console.log(`${index + 1} rounds, ${seconds} s: ${(heaps.at(-1) / 1e6).toFixed(1)} MB; ${held()}`)
}
await rounds.close()

const growth = (heaps.at(-1) - heaps[INTERVALS / 2 - 1]) / (ROUNDS / 2)
console.log(`at the end: ${held()}`)
console.log(`heap: ${growth.toFixed(0)} bytes more a round, at most ${TOLERANCE} may be`)
if (held() !== NOTHING || growth > TOLERANCE) process.exitCode = 1

/** Returns the server's open resources. */
function held() {
  const counts = Object.entries(rounds.ledger.counts()).filter(([, count]) => count > 0)
  return counts.map(([kind, count]) => `${count} ${kind}`).join(", ") || NOTHING
}

/** Returns the heap's size after a full collection. */
async function heap() {
  for (let pass = 0; pass < 5; pass += 1) {
    await setImmediate()
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}
