// `pnpm soak [rounds]`: clients of both eras come, call, and are gone in the middle of a call, over HTTP and in memory, half of
// those with a session without a word. Prints the heap at intervals and what is held at the end. Fails when anything is
// still held, or when the heap grows in the second half.
import { setImmediate } from "node:timers/promises"
import { createRounds } from "../test/support/rounds.mjs"

const ROUNDS = Number(process.argv[2] ?? 10_000)
const INTERVALS = 10
/** How many bytes more a round may leave: V8 keeps some code of each, and a session that is forgotten is far larger. */
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

/** What the server holds. */
function held() {
  const counts = Object.entries(rounds.ledger.counts()).filter(([, count]) => count > 0)
  return counts.map(([kind, count]) => `${count} ${kind}`).join(", ") || NOTHING
}

/** What is left once everything that can be is collected. */
async function heap() {
  for (let pass = 0; pass < 5; pass += 1) {
    await setImmediate()
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}
