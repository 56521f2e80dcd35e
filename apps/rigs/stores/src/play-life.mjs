import { isDeepStrictEqual } from "node:util"
import { listen } from "./listen.mjs"
import { openStage, until } from "./open-stage.mjs"
import { A, B, C, D } from "./todos.mjs"

/** Plays a store's life from the first value to the release. The application listens too, from before us and from after us. */
export async function playLife(library, toSource, complain) {
  const { inner } = library
  const made = await library.create(structuredClone(A))
  const before = listen(made)
  const followers = await made.followers()
  const stage = await openStage(toSource(made), inner)
  const after = listen(made)
  const play = { made, stage, before, after, complain, shows, bothHear }

  complain(await until(async () => (await stage.states()).includes("todos")), "start: the state is missing")
  complain(await shows(A), "start: wrong value")
  await playChanges(play)
  await playBatches(play)
  if (!library.neverEqual) await playEqual(play)
  await playThrow(play)
  await stage.close()

  await made.write(structuredClone(B))
  await bothHear(B, "a write after the release")
  after.stop()
  const left = await made.followers()
  complain(left === followers, `release: ${left} listeners remain, expected ${followers}`)
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
  complain(emitted.includes("todos"), "emit: no notice")
  complain(emitted.includes("first"), "emit: no notice of a part that changed")
  complain(!emitted.includes("size") && !emitted.includes("steady"), `emit: a notice of unchanged parts: ${emitted}`)
  complain(await shows(B), "emit: wrong value")
  await bothHear(B, "an emission")

  const done = [{ ...B[0], done: true }, B[1]]
  const touched = await stage.toldBy(() => made.touch(), "todos")
  complain(touched.includes("todos"), "nested: no notice")
  complain(
    touched.every((key) => key === "todos"),
    `nested: a notice of unchanged parts: ${touched}`,
  )
  complain(await shows(done), "nested: wrong value")
  await bothHear(done, "a nested mutation")
}

async function playBatches({ made, stage, complain, shows, bothHear }) {
  const both = await stage.toldBy(() => made.batch(structuredClone(C), structuredClone(D)), "todos")
  complain(both.filter((key) => key === "todos").length === 1, `batch: expected one notice: ${both}`)
  complain(await shows(D), "batch: wrong value")
  await bothHear(D, "a batch")
}

/** Writes equal values as new objects, in one write and at the end of a batch. */
async function playEqual({ made, stage, complain }) {
  const same = await stage.toldBy(() => made.write(structuredClone(D)))
  complain(same.length === 0, `equal: a notice of unchanged parts: ${same}`)

  const net = await stage.toldBy(() => made.batch(structuredClone(C), structuredClone(D)))
  complain(net.length === 0, `batch: a notice of parts with the same final value: ${net}`)
}

/** Plays a derived state that throws while there is no todo: it disappears and returns. */
async function playThrow({ made, stage, complain, shows }) {
  const diagnosed = stage.diagnostics.length
  await made.write([])
  complain(await until(async () => !(await stage.states()).includes("first")), "throw: the part is still listed")
  complain(stage.diagnostics.length > diagnosed, "throw: no diagnostic")
  complain(await shows([]), "throw: the other parts are missing too")
  await made.write(structuredClone(A))
  complain(await until(async () => (await stage.states()).includes("first")), "throw: the part does not recover")
  complain(await until(async () => (await stage.read("first")) === A[0].title), "throw: wrong value after recovery")
}
