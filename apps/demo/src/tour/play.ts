import { createNarrator, type Narrator, type Stage } from "./create-narrator.js"
import { readState, watchState } from "./watch-state.js"

/** Plays a session with the board. Rejects where the server does anything else than the story says. */
export async function play(stage: Stage): Promise<void> {
  const narrator = createNarrator(stage)
  await arrive(narrator, stage)
  await runIntoWalls(narrator)
  await changeTheBoard(narrator)
  await workOnACard(narrator)
  await growAColumn(narrator)
  await watch(narrator, stage)
  narrator.scene("That was all. Everything went as it should.")
}

async function arrive({ scene, saw, list }: Narrator, { client }: Stage): Promise<void> {
  const server = client.getServerVersion()
  scene(
    `Connected to "${server?.name}" in the revision ${client.getNegotiatedProtocolVersion()}. It introduces itself:`,
  )
  saw(client.getInstructions() ?? "")
  scene("What can be done now, while no card is open and nothing has happened yet:")
  await list()
}

async function runIntoWalls({ scene, refused }: Narrator): Promise<void> {
  scene("A wrong call teaches what a right one is:")
  await refused("add", { name: "Water the plants" }, "title")
  await refused("add", { title: "Water the plants", column: "garden" }, '"todo"')
  scene("What is not possible now says why:")
  await refused("undo", {}, "there is no history yet")
}

async function changeTheBoard({ scene, call, noticed }: Narrator): Promise<void> {
  scene("A change makes history, and with it a tool to take it back:")
  await call("add", { title: "Water the plants" })
  await noticed("+undo")
  await call("undo")
  await noticed("-undo")
}

async function workOnACard({ scene, call, noticed }: Narrator): Promise<void> {
  scene("An open card brings its own tools:")
  await call("open_card", { id: "c3" })
  await noticed("+open__comment", "+open__complete", "+open__close")
  await call("open__comment", { text: "Seen on two more pages" })
  await call("get_state", { path: "open" })

  scene("A finished card cannot be finished again, but archived:")
  await call("open__complete")
  await noticed("-open__complete", "+archive", "+undo")
  await call("archive")
  await noticed("-archive", "-open__comment", "-open__close")
}

async function growAColumn({ scene, call, noticed }: Narrator): Promise<void> {
  scene("A new column brings its tools as well, and takes them with it:")
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
  scene(
    "A state can be read, and watched while it changes; what destroys is asked first, in the page where there is one:",
  )
  saw(await readState(client, "agentic://board/summary"))
  const summary = await watchState(client, "agentic://board/summary", () => call("clear"))
  tell("  < the summary has changed:")
  saw(summary)
}
