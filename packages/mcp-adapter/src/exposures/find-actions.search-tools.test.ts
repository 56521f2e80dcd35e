import { action, createAgenticService, link } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { createRig } from "../catalogue/catalogue.fixture.js"
import { createToolSearch } from "./find-actions.js"

const execute = () => undefined

/** Returns the known tools of a board with a column. */
function createTools() {
  const column = createAgenticService({
    name: "column",
    actions: {
      moveCard: action({ description: "Put it into another column", execute }),
      rename: action({ title: "Umbenennen", description: "Give it another name", execute }),
    },
  })
  const board = createAgenticService({
    name: "board",
    actions: {
      add_card: action({ description: "Create one", execute }),
      undo: action({ description: "Take back the last change of a card", execute }),
    },
    links: { done: link({ service: column }) },
  })
  return createRig(board).view().known()
}

describe("createToolSearch", () => {
  it.each([
    ["card", ["add_card", "done__moveCard", "undo"]], // in a key, however it is written, before a description
    ["revert change", ["undo"]], // one word is enough
    ["umbenennen", ["done__rename"]], // titles
    ["done", ["done__rename", "done__moveCard"]], // paths
    ["renam", ["done__rename"]], // the beginning of a word
    ["renane", ["done__rename"]], // a slip
    ["weather", []],
  ])("finds by %j", async (query, names) => {
    const found = await createToolSearch()(createTools(), query)

    expect(found.map((tool) => tool.name)).toEqual(names)
  })

  it("keeps the list's order for equal matches", async () => {
    const actions = {
      alpha_one: action({ description: "One", execute }),
      beta_one: action({ description: "One", execute }),
    }
    const tools = createRig(createAgenticService({ name: "s", actions }))
      .view()
      .known()

    const found = await createToolSearch()(tools, "beta alpha")

    expect(found.map((tool) => tool.name)).toEqual(["alpha_one", "beta_one"])
  })

  it("finds the same again, and searches another list separately", async () => {
    const search = createToolSearch()
    const tools = createTools()

    expect(await search(tools, "card")).toEqual(await search(tools, "card"))
    expect(await search(tools.slice(0, 1), "undo")).toEqual([])
  })
})
