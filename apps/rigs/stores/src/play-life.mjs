import { isDeepStrictEqual } from "node:util"
import { listen } from "./listen.mjs"
import { openStage, until } from "./open-stage.mjs"
import { A, B, C, D } from "./todos.mjs"

/** From the first value to the release, with the application listening too, before us and after us. */
export async function playLife(library, toSource, complain) {
  const { inner } = library
  const made = await library.create(structuredClone(A))
  const before = listen(made)
  const followers = await made.followers()
  const stage = await openStage(toSource(made), inner)
  const after = listen(made)
  const play = { made, stage, before, after, complain, shows, bothHear }

  complain(await until(async () => (await stage.states()).includes("todos")), "start: the state is not there")
  complain(await shows(A), "start: another value")
  await playChanges(play)
  await playBatches(play)
  if (!library.neverEqual) await playEqual(play)
  await playThrow(play)
  await stage.close()

  await made.write(structuredClone(B))
  await bothHear(B, "what is written afterwards")
  after.stop()
  const left = await made.followers()
  complain(left === followers, `release: ${left} follow it, ${followers} did before`)
  before.stop()

  async function shows(todos) {
    return until(async () => isDeepStrictEqual(inner(await stage.read("todos")), todos))
  }

  async function bothHear(todos, when) {
    const listeners = { first: before, last: after }
    for (const [who, { heard }] of Object.entries(listeners))
      complain(
        await until(() => isDeepStrictEqual(heard.at(-1), todos)),
        `the application's ${who} listener misses ${when}`,
      )
  }
}

async function playChanges({ made, stage, complain, shows, bothHear }) {
  const emitted = await stage.toldBy(() => made.write(structuredClone(B)), "todos")
  complain(emitted.includes("todos"), "emit: not told")
  complain(emitted.includes("first"), "emit: not told of a part that changed")
  complain(!emitted.includes("size") && !emitted.includes("steady"), `emit: told of what did not change: ${emitted}`)
  complain(await shows(B), "emit: another value")
  await bothHear(B, "an emission")

  const done = [{ ...B[0], done: true }, B[1]]
  const touched = await stage.toldBy(() => made.touch(), "todos")
  complain(touched.includes("todos"), "nested: not told")
  complain(
    touched.every((key) => key === "todos"),
    `nested: told of parts that did not change: ${touched}`,
  )
  complain(await shows(done), "nested: another value")
  await bothHear(done, "a nested mutation")
}

async function playBatches({ made, stage, complain, shows, bothHear }) {
  const both = await stage.toldBy(() => made.batch(structuredClone(C), structuredClone(D)), "todos")
  complain(both.filter((key) => key === "todos").length === 1, `batch: not told once: ${both}`)
  complain(await shows(D), "batch: another value")
  await bothHear(D, "a batch")
}

/** The same again, in other objects; at once, and in the end. */
async function playEqual({ made, stage, complain }) {
  const same = await stage.toldBy(() => made.write(structuredClone(D)))
  complain(same.length === 0, `equal: told of what did not change: ${same}`)

  const net = await stage.toldBy(() => made.batch(structuredClone(C), structuredClone(D)))
  complain(net.length === 0, `batch: told of what did not change in the end: ${net}`)
}

/** A part that throws while there is no todo: it goes, and comes back. */
async function playThrow({ made, stage, complain, shows }) {
  const diagnosed = stage.diagnostics.length
  await made.write([])
  complain(await until(async () => !(await stage.states()).includes("first")), "throw: the part is still there")
  complain(stage.diagnostics.length > diagnosed, "throw: no diagnostic")
  complain(await shows([]), "throw: the others are gone as well")
  await made.write(structuredClone(A))
  complain(await until(async () => (await stage.states()).includes("first")), "throw: it does not come back")
  complain(await until(async () => (await stage.read("first")) === A[0].title), "throw: it comes back as another value")
}
