import { isDeepStrictEqual } from "node:util"
import { listen } from "./listen.mjs"
import { openDoor, openStage, until } from "./open-stage.mjs"
import { toOneLine } from "./to-one-line.mjs"
import { A, B } from "./todos.mjs"

/**
 * What is not followed as it is: it is left out with words that name it, neither taken for a value nor for a condition that
 * holds, and the application's own listeners notice nothing.
 *
 * @returns The words.
 */
export async function playRefusal(library, complain) {
  const made = await library.create(structuredClone(A))
  const before = listen(made)
  const words = []
  const [source, ...others] = [made.source, ...(made.alsoRefused ?? [])]
  for (const refused of [source, ...others]) {
    const stage = await openStage(refused, library.inner)
    const after = listen(made)
    complain(!(await stage.states()).includes("todos"), "bare: taken for a value")
    const said = stage.diagnostics.find((text) => text.includes('"todos"'))
    complain(said !== undefined, "bare: no diagnostic")
    words.push(said)
    complain(isDeepStrictEqual(before.heard.at(-1), A), "bare: the application's store has another value")
    await made.write(structuredClone(B))
    for (const { heard } of [before, after])
      complain(
        await until(() => isDeepStrictEqual(heard.at(-1), B)),
        "bare: a listener of the application misses a change",
      )
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

/** Where the library can be told, the words name it, with the very line that is played. */
function holdWords({ named, line }, said, complain) {
  if (named === undefined || said === undefined) return
  complain(said.includes(named), `bare: the diagnostic does not name ${named}: ${said}`)
  complain(said.includes(toOneLine(line)), `bare: the diagnostic has another line than ${toOneLine(line)}: ${said}`)
}

/** Whatever it holds, it is no condition that can be followed. */
async function playClosed(source, complain) {
  const door = await openDoor(source)
  complain(!(await door.isOpen()), "bare condition: open")
  complain(door.diagnostics.length > 0, "bare condition: no diagnostic")
  await door.close()
}
