import { createNarrator, type Narrator, type Stage } from "./create-narrator.js"
import { readState, watchState } from "./watch-state.js"

/** Plays a session with the board. Rejects on any unexpected behaviour of the server. */
export async function play(stage: Stage): Promise<void> {
  const narrator = createNarrator(stage)
  await arrive(narrator, stage)
  await runIntoWalls(narrator)
  await changeTheBoard(narrator)
  await workOnACard(narrator)
  await growAColumn(narrator)
  await watch(narrator, stage)
  narrator.scene("Done. Everything worked as expected.")
}

async function arrive({ scene, saw, list }: Narrator, { client }: Stage): Promise<void> {
  const server = client.getServerVersion()
  scene(`Connected to "${server?.name}" with revision ${client.getNegotiatedProtocolVersion()}. Its instructions:`)
  saw(client.getInstructions() ?? "")
  scene("The tools of a fresh board without an open card:")
  await list()
}

async function runIntoWalls({ scene, refused }: Narrator): Promise<void> {
  scene("An invalid call is answered with the expected arguments:")
  await refused("add", { name: "Water the plants" }, "title")
  await refused("add", { title: "Water the plants", column: "garden" }, '"todo"')
  scene("An unavailable tool answers with the reason:")
  await refused("undo", {}, "there is nothing to undo")
}

async function changeTheBoard({ scene, call, noticed }: Narrator): Promise<void> {
  scene("A change adds a tool to undo it:")
  await call("add", { title: "Water the plants" })
  await noticed("+undo")
  await call("undo")
  await noticed("-undo")
}

async function workOnACard({ scene, call, noticed }: Narrator): Promise<void> {
  scene("Opening a card adds its tools:")
  await call("open_card", { id: "c3" })
  await noticed("+open__comment", "+open__complete", "+open__close")
  await call("open__comment", { text: "Seen on two more pages" })
  await call("get_state", { path: "open" })

  scene("A completed card cannot be completed again, but it can be archived:")
  await call("open__complete")
  await noticed("-open__complete", "+archive", "+undo")
  await call("archive")
  await noticed("-archive", "-open__comment", "-open__close")
}

async function growAColumn({ scene, call, noticed }: Narrator): Promise<void> {
  scene("A new column adds its tools, and removing it removes them:")
  await call("add_column", { title: "Waiting" })
  await noticed("+columns__waiting__add", "+columns__waiting__remove")
  await call("columns__waiting__add", { title: "Hear from the printer" })
  await noticed("-columns__waiting__remove")
  await call("undo")
  await noticed("+columns__waiting__remove")
  await call("columns__waiting__remove")
  await noticed("-columns__waiting__add", "-columns__waiting__remove")
}

async function watch({ scene, saw, call }: Narrator, { client, tell }: Stage): Promise<void> {
  scene("States can be read and watched. A destructive action asks the person first, in the page if one is open:")
  saw(await readState(client, "agentic://board/summary"))
  const summary = await watchState(client, "agentic://board/summary", () => call("clear"))
  tell("  < the summary has changed:")
  saw(summary)
}
