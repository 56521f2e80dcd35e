import { isDeepStrictEqual } from "node:util"
import { listen } from "./listen.mjs"
import { openStage, until } from "./open-stage.mjs"
import { A, B } from "./todos.mjs"

/** Plays an error that the library itself reports, and its recovery, if the library has them. */
export async function playError(library, toSource, complain) {
  if (library.createFailing === undefined) return
  const made = await library.createFailing(structuredClone(A))
  const before = listen(made)
  const stage = await openStage(toSource(made), library.inner)
  const after = listen(made)
  const isThere = async () => (await stage.states()).includes("todos")
  complain(await until(isThere), "error: the state is missing before it")

  await made.fail()
  complain(await until(async () => !(await isThere())), "error: the state is still listed")
  complain((await stage.states()).includes("steady"), "error: the other states are missing too")
  complain(stage.diagnostics.length > 0, "error: no diagnostic")
  for (const { failed } of [before, after])
    complain(await until(() => failed.length > 0), "error: an application listener misses it")

  if (made.mend) {
    await made.mend(structuredClone(B))
    complain(await until(isThere), "error with recovery: the state stays missing")
    const isB = async () => isDeepStrictEqual(library.inner(await stage.read("todos")), B)
    complain(await until(isB), "error with recovery: wrong value")
  }
  await stage.close()
}
