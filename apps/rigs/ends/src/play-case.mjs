// `node play-case.mjs NAME`: closes one case at every moment. Prints a line of JSON for each, with the duration of the close.
// The process must end by itself: anything left open keeps it alive, and an unhandled rejection ends it with exit code 1.
import { cases } from "./cases.mjs"

const found = cases[process.argv[2]]
const own = found.open

/** The moments, each with its steps. */
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
  async "while in use"() {
    const { it, under, use } = await own()
    const leave = await use?.(it)
    await timed(() => it.close())
    await leave?.()
    await endAll(under)
  },
  async "after its dependencies"() {
    const { it, under, use } = await own()
    const leave = await use?.(it)
    await endAll(under)
    await timed(() => it.close())
    await leave?.()
  },
  async "at once, after its dependencies"() {
    const { it, under } = await own()
    await endAll(under)
    await timed(() => it.close())
  },
  async "while a client connects"() {
    await closeWhileComing({})
  },
  async "while a client connects, before its dependencies are ready"() {
    await closeWhileComing({ silent: true })
  },
  async "before its dependencies are ready"() {
    const { it, under } = await own({ silent: true })
    await timed(() => it.close())
    await endAll(under)
  },
  async "after its dependencies, before they are ready"() {
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
// Waits for late rejections: the first list has a timeout of half a second.
await new Promise((resolve) => setTimeout(resolve, 600))
console.log(JSON.stringify({ moment: "everything is closed", at: Date.now() }))

/** Closes the case right after somebody began to use it, which may never succeed. */
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
