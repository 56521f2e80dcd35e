import { toObservable } from "@x/agentic-service"
import { map } from "rxjs"
import { openDoor, until } from "./open-stage.mjs"

/** Plays a condition that is false, true and false again. */
export async function playCondition(library, toSource, complain) {
  if (library.onlyTodos) return
  const made = await library.create(false)
  const source = toSource(made)
  const door = await openDoor(library.keepsInside ? toObservable(source).pipe(map(library.inner)) : source)

  complain(!(await door.isOpen()), "condition: open while it is false")
  await made.write(true)
  complain(await until(door.isOpen), "condition: closed though it is true")
  await made.write(false)
  complain(await until(async () => !(await door.isOpen())), "condition: open though it is false again")
  await door.close()
}
