import { isDeepStrictEqual } from "node:util"
import { listen } from "./listen.mjs"
import { openDoor, openStage, until } from "./open-stage.mjs"
import { toOneLine } from "./to-one-line.mjs"
import { A, B } from "./todos.mjs"

/**
 * Plays a store that needs an adapter line, without that line. The state must be left out with a diagnostic that names it, an
 * action with it as condition must stay hidden, and the application's own listeners must not be affected.
 *
 * @returns The diagnostics.
 */
export async function playRefusal(library, complain) {
  const made = await library.create(structuredClone(A))
  const before = listen(made)
  const words = []
  const [source, ...others] = [made.source, ...(made.alsoRefused ?? [])]
  for (const refused of [source, ...others]) {
    const stage = await openStage(refused, library.inner)
    const after = listen(made)
    complain(!(await stage.states()).includes("todos"), "bare: served as a plain value")
    const said = stage.diagnostics.find((text) => text.includes('"todos"'))
    complain(said !== undefined, "bare: no diagnostic")
    words.push(said)
    complain(isDeepStrictEqual(before.heard.at(-1), A), "bare: the application's store changed")
    await made.write(structuredClone(B))
    for (const { heard } of [before, after])
      complain(await until(() => isDeepStrictEqual(heard.at(-1), B)), "bare: an application listener misses a change")
    await made.write(structuredClone(A))
    complain(await until(() => isDeepStrictEqual(before.heard.at(-1), A)), "bare: a listener misses the last change")
    after.stop()
    if (refused === source) holdWords(library, said, complain)
    await stage.close()
    await playClosed(refused, complain)
  }
  before.stop()
  return words
}

/** Checks that the diagnostic names the library, if it is recognizable, and suggests the same line that the rig plays. */
function holdWords({ named, line }, said, complain) {
  if (named === undefined || said === undefined) return
  complain(said.includes(named), `bare: the diagnostic does not name ${named}: ${said}`)
  complain(said.includes(toOneLine(line)), `bare: the diagnostic does not suggest the line ${toOneLine(line)}: ${said}`)
}

/** Checks that a store without its line never counts as a condition that holds. */
async function playClosed(source, complain) {
  const door = await openDoor(source)
  complain(!(await door.isOpen()), "bare condition: open")
  complain(door.diagnostics.length > 0, "bare condition: no diagnostic")
  await door.close()
}
