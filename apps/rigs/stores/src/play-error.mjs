import { isDeepStrictEqual } from "node:util"
import { listen } from "./listen.mjs"
import { openStage, until } from "./open-stage.mjs"
import { A, B } from "./todos.mjs"

/** An error that the library itself tells of, where it has such a thing, and where it passes. */
export async function playError(library, toSource, complain) {
  if (library.createFailing === undefined) return
  const made = await library.createFailing(structuredClone(A))
  const before = listen(made)
  const stage = await openStage(toSource(made), library.inner)
  const after = listen(made)
  const isThere = async () => (await stage.states()).includes("todos")
  complain(await until(isThere), "error: the state is not there before it")

  await made.fail()
  complain(await until(async () => !(await isThere())), "error: the state is still there")
  complain((await stage.states()).includes("steady"), "error: the others are gone as well")
  complain(stage.diagnostics.length > 0, "error: no diagnostic")
  for (const { failed } of [before, after])
    complain(await until(() => failed.length > 0), "error: a listener of the application misses it")

  if (made.mend) {
    await made.mend(structuredClone(B))
    complain(await until(isThere), "error that passes: it stays away")
    const isB = async () => isDeepStrictEqual(library.inner(await stage.read("todos")), B)
    complain(await until(isB), "error that passes: another value")
  }
  await stage.close()
}
