// Closes one thing at every moment: `node play-case.mjs NAME`. Prints a line of JSON for each moment, with how long the end took,
// and has to end by itself: whatever is still held keeps the process alive, and a rejection that nobody caught ends it with 1.
import { cases } from "./cases.mjs"

const found = cases[process.argv[2]]
const own = found.open

/** Each moment, and what is done in it. */
const moments = {
  async "at once"() {
    const { it, under } = await own()
    await timed(() => it.close())
    await endAll(under)
  },
  async "twice, and again afterwards"() {
    const { it, under } = await own()
    await timed(() => Promise.all([it.close(), it.close()]).then(() => it.close()))
    await endAll(under)
  },
  async "while it is in use"() {
    const { it, under, use } = await own()
    const leave = await use?.(it)
    await timed(() => it.close())
    await leave?.()
    await endAll(under)
  },
  async "after what it stands on"() {
    const { it, under, use } = await own()
    const leave = await use?.(it)
    await endAll(under)
    await timed(() => it.close())
    await leave?.()
  },
  async "at once, after what it stands on"() {
    const { it, under } = await own()
    await endAll(under)
    await timed(() => it.close())
  },
  async "while somebody comes"() {
    await closeWhileComing({})
  },
  async "while somebody comes, before what it stands on is ready"() {
    await closeWhileComing({ silent: true })
  },
  async "before what it stands on is ready"() {
    const { it, under } = await own({ silent: true })
    await timed(() => it.close())
    await endAll(under)
  },
  async "before what it stands on is ready, after that"() {
    const { it, under } = await own({ silent: true })
    await endAll(under)
    await timed(() => it.close())
  },
}

let moment = ""
for (const [name, play] of Object.entries(moments)) {
  moment = name
  await play()
}
// What was left behind may still reject: the first list is waited for half a second.
await new Promise((resolve) => setTimeout(resolve, 600))
console.log(JSON.stringify({ moment: "all is closed", at: Date.now() }))

/** Closes it when somebody has just begun to use it, and may never get there. */
async function closeWhileComing(options) {
  const { it, under, use } = await own(options)
  const coming = Promise.resolve(use?.(it)).catch(() => {})
  await new Promise((resolve) => setImmediate(resolve))
  await timed(() => it.close())
  await endAll(under)
  const leave = await Promise.race([coming, new Promise((resolve) => setTimeout(resolve, 300))])
  await leave?.()
}

async function timed(end) {
  const begun = performance.now()
  await end()
  console.log(JSON.stringify({ moment, ms: Math.round(performance.now() - begun) }))
}

async function endAll(under = []) {
  for (const end of under) await end()
}
