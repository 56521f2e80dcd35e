// The board and an office as servers are usually written, such as with FastMCP: one tool per verb, registered once, with the
// ids of cards, columns and projects as parameters, and schemas as FastMCP derives them.
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server"
import { firstValueFrom } from "rxjs"
import { createBoardStore } from "../dist/board/create-board-store.js"
import { connect, runAction } from "./raw-server.mjs"

/** Serves a new board to one client. Returns the client's transport. */
export async function connectVerbBoard() {
  const store = createBoardStore()
  const server = new McpServer({ name: "board", version: "0.0.0" })
  const tool = toolOf(server)
  const change = (id, given) => store.changeCard(id, given)
  const commentsOf = (id) => store.board().cards.find((card) => card.id === id)?.comments ?? []
  tool("get_board", "Read the board: its columns and cards", [{}, () => store.board()])
  tool("add_card", "Add a card, to the first column unless another is named", [
    { title: "", column: undefined },
    ({ title, column }) => store.addCard(title, column),
  ])
  tool("edit_card", "Change the title or the notes of a card", [
    { card: "", title: undefined, notes: undefined },
    ({ card, ...rest }) => change(card, rest),
  ])
  tool("move_card", "Move a card to another column", [
    { card: "", column: "" },
    ({ card, column }) => change(card, { column }),
  ])
  tool("comment_on_card", "Add a comment to a card", [
    { card: "", text: "" },
    ({ card, text }) => change(card, { comments: [...commentsOf(card), text] }),
  ])
  tool("complete_card", "Complete a card: move it to the finished ones", [
    { card: "" },
    ({ card }) => change(card, { column: "done" }),
  ])
  tool("add_column", "Add a column", [{ title: "" }, ({ title }) => store.addColumn(title)])
  tool("rename_column", "Rename a column; its id stays the same", [
    { column: "", title: "" },
    ({ column, title }) => store.renameColumn(column, title),
  ])
  tool("remove_column", "Remove a column, which must be empty", [
    { column: "" },
    ({ column }) => store.removeColumn(column),
  ])
  tool("undo", "Undo the last change of the board", [{}, () => store.undo()])
  tool("redo", "Redo the last undone change", [{}, () => store.redo()])
  tool("archive", "Remove all finished cards from the board", [{}, () => store.archive()])
  tool("clear", "Delete every card", [{}, () => store.clear()])
  return connect(server)
}

/** Serves an office's projects to one client. Returns the client's transport. */
export async function connectVerbOffice({ projects }) {
  const server = new McpServer({ name: "office", version: "0.0.0" })
  const tool = toolOf(server)
  const serviceOf = (project) => projects.find(({ id }) => id === project)?.service
  tool("list_projects", "List the ids of all projects", [{}, () => projects.map(({ id }) => id)])
  tool("get_project", "Read a project", [
    { project: "" },
    ({ project }) => firstValueFrom(serviceOf(project).states).then(({ project: { value } }) => value),
  ])
  const [{ service }] = projects
  for (const [key, { definition }] of Object.entries(service.declared.actions)) {
    const names = Object.keys(definition.schema?.properties ?? {})
    const parameters = { project: "", ...Object.fromEntries(names.map((name) => [name, ""])) }
    const run = async ({ project, ...args }) => {
      const outcome = await runAction(() => serviceOf(project), key, names.length > 0 ? args : undefined)
      if (!outcome.ok) throw new Error(outcome.message)
      return outcome.value
    }
    tool(key, definition.description, [parameters, run])
  }
  return connect(server)
}

/**
 * Creates a function that registers a tool. Parameters are texts: required unless their default is `undefined`. Each comes with
 * the action to run.
 */
function toolOf(server) {
  return (name, description, [parameters, run]) => {
    const inputSchema = fromJsonSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: Object.fromEntries(Object.keys(parameters).map((key) => [key, { type: "string" }])),
      required: Object.keys(parameters).filter((key) => parameters[key] !== undefined),
      additionalProperties: false,
    })
    server.registerTool(name, { description, inputSchema }, async (args) => {
      const value = await run(args)
      return { content: [{ type: "text", text: value === undefined ? "done" : JSON.stringify(value) }] }
    })
  }
}
